// PNG with nothing but zlib: a signature, then chunks of length, type, data and checksum.
#include <zlib.h>

#include <string>

#include "scdcf/core/atomic_file.h"
#include "scdcf/core/error.h"
#include "scdcf/report/canvas.h"

namespace scdcf::report {
namespace {

std::string big_endian(std::uint32_t value) {
  std::string bytes(4, '\0');
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<char>(value >> (24 - 8 * i));
  return bytes;
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const auto checksum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(static_cast<std::uint32_t>(checksum));
}

/// Every row begins with its filter, 0 for none, and has the channels of a pixel side by side.
std::string rows_of(const Canvas& canvas) {
  const std::size_t channels = canvas.channels(), height = canvas.height(), width = canvas.width();
  std::string rows;
  rows.reserve(height * (width * channels + 1));
  for (std::size_t y = 0; y < height; ++y) {
    rows += '\0';
    for (std::size_t x = 0; x < width; ++x)
      for (std::size_t c = 0; c < channels; ++c)
        rows += static_cast<char>(canvas.pixels()[(c * height + y) * width + x]);
  }
  return rows;
}

std::string deflated(const std::string& data) {
  uLongf size = compressBound(data.size());
  std::string packed(size, '\0');
  const int code = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                             reinterpret_cast<const Bytef*>(data.data()), data.size(), Z_BEST_COMPRESSION);
  require(code == Z_OK, "PNG: zlib fails with code ", code);
  packed.resize(size);
  return packed;
}

}  // namespace

std::string encode_png(const Canvas& canvas) {
  const char bit_depth = 8, colour_type = canvas.channels() == 3 ? 2 : 0;
  const std::string header = big_endian(static_cast<std::uint32_t>(canvas.width())) +
                             big_endian(static_cast<std::uint32_t>(canvas.height())) + bit_depth + colour_type +
                             std::string(3, '\0');
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", deflated(rows_of(canvas))) + chunk("IEND", "");
}

void write_png(const std::filesystem::path& file, const Canvas& canvas) {
  write_file_atomically(file, encode_png(canvas));
}

}  // namespace scdcf::report
