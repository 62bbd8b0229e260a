// The content of a gzip file as a stream of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "scdcf/core/error.h"

struct gzFile_s;  // zlib's, named here so that readers of this header need not see zlib.h

namespace scdcf::files {

/// The file ends before its content does: what an interrupted transfer leaves.
class TruncatedGzip : public Error {
 public:
  using Error::Error;
};

class GzipReader {
 public:
  /// Throws Error where the file cannot be opened or is not gzip.
  explicit GzipReader(const std::filesystem::path& file);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  /// Up to `size` bytes; fewer only at the end. Throws TruncatedGzip, or Error where the content is damaged.
  std::size_t read(void* data, std::size_t size);
  /// Compressed bytes read so far.
  std::int64_t position() const;

 private:
  std::string name_;
  gzFile_s* stream_ = nullptr;
};

}  // namespace scdcf::files
