#include "scdcf/files/gzip.h"

#include <zlib.h>

#include <algorithm>

#include "scdcf/core/error.h"

namespace scdcf::files {
namespace {

constexpr std::uint64_t kLargestRatio = 1032;  // of deflate: 258 bytes from two bits

class Inflater {
 public:
  Inflater(const Bytes& compressed, const std::string& name) : name_(name) {
    require(inflateInit2(&stream_, 15 + 16) == Z_OK, name_, ": zlib could not be started");
    stream_.next_in = const_cast<Bytef*>(compressed.data());  // zlib reads only, and says so with z_const elsewhere
    stream_.avail_in = static_cast<uInt>(compressed.size());
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Fills `size` bytes as far as the stream goes; returns how many.
  std::uint64_t read(std::uint8_t* to, std::uint64_t size) {
    std::uint64_t done = 0;
    while (done < size && !ended_) {
      stream_.next_out = to + done;
      stream_.avail_out = static_cast<uInt>(std::min<std::uint64_t>(size - done, 1U << 30));
      const auto before = stream_.avail_out;
      const int result = inflate(&stream_, Z_NO_FLUSH);
      done += before - stream_.avail_out;
      ended_ = result == Z_STREAM_END;
      require(ended_ || result == Z_OK || result == Z_BUF_ERROR, name_, ": damaged gzip data (",
              stream_.msg == nullptr ? "zlib" : stream_.msg, ")");
      require(ended_ || done == size || stream_.avail_in > 0, name_, ": truncated gzip data");
    }
    return done;
  }
  std::uint64_t left_over() const { return stream_.avail_in; }

 private:
  z_stream stream_{};
  const std::string& name_;
  bool ended_ = false;
};

}  // namespace

bool is_gzip(const Bytes& bytes) { return bytes.size() >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B; }

Bytes inflate_start(const Bytes& compressed, std::uint64_t size, const std::string& name) {
  Bytes bytes(size);
  const std::uint64_t got = Inflater(compressed, name).read(bytes.data(), size);
  require(got == size, name, ": got ", got, " bytes after inflating, expected at least ", size);
  return bytes;
}

Bytes inflate_all(const Bytes& compressed, std::uint64_t size, const std::string& name) {
  require(size <= kLargestFile && size <= kLargestRatio * compressed.size(), name, ": announces ", size,
          " bytes, more than ", compressed.size(), " bytes of gzip can hold");
  Bytes bytes(size);
  Inflater inflater(compressed, name);
  const std::uint64_t got = inflater.read(bytes.data(), size);
  require(got == size, name, ": got ", got, " bytes after inflating, expected ", size);
  std::uint8_t extra = 0;  // reading on also makes zlib compare the checksum
  require(inflater.read(&extra, 1) == 0, name, ": holds more than the ", size, " bytes it announces");
  require(inflater.left_over() == 0, name, ": ", inflater.left_over(), " bytes after the end of the gzip data");
  return bytes;
}

std::string gzip(std::string_view bytes) {
  require(bytes.size() <= kLargestFile, "gzip: got ", bytes.size(), " bytes, expected at most ", kLargestFile);
  z_stream stream{};
  require(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) == Z_OK,
          "gzip: zlib could not be started");
  std::string text(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib reads only
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  const bool whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  text.resize(text.size() - stream.avail_out);
  deflateEnd(&stream);
  require(whole, "gzip: zlib could not compress ", bytes.size(), " bytes");
  return text;
}

}  // namespace scdcf::files
