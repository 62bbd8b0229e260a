#include "scdcf/files/gzip_reader.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace scdcf::files {

GzipReader::GzipReader(const std::filesystem::path& file) : name_(file.string()), stream_(gzopen(file.c_str(), "rbe")) {
  require(stream_ != nullptr, name_, ": cannot be read: ", std::strerror(errno));
  gzbuffer(stream_, 1 << 17);
  // zlib hands through what is not gzip; an empty file counts as truncated, which the first read() says.
  const bool direct = gzdirect(stream_) == 1;
  std::error_code ignored;
  const bool empty = std::filesystem::file_size(file, ignored) < 2;
  if (direct && !empty) {
    gzclose_r(stream_);
    detail::fail(name_, ": is not a gzip file");
  }
}

GzipReader::~GzipReader() { gzclose_r(stream_); }

std::size_t GzipReader::read(void* data, std::size_t size) {
  if (gzdirect(stream_) == 1) throw TruncatedGzip(name_ + ": ends too early");
  auto* bytes = static_cast<char*>(data);
  std::size_t done = 0;
  while (done < size) {
    const auto wanted = static_cast<unsigned>(std::min<std::size_t>(size - done, 1U << 30));
    const int got = gzread(stream_, bytes + done, wanted);
    int code = Z_OK;
    const char* cause = gzerror(stream_, &code);
    if (code == Z_BUF_ERROR) throw TruncatedGzip(name_ + ": ends too early");
    require(got >= 0, name_, ": ",
            code == Z_ERRNO ? "cannot be read: " : "is damaged: ", code == Z_ERRNO ? std::strerror(errno) : cause);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::int64_t GzipReader::position() const { return gzoffset(stream_); }

}  // namespace scdcf::files
