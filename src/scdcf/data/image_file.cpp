#include "scdcf/data/image_file.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "scdcf/core/atomic_file.h"
#include "scdcf/core/error.h"
#include "scdcf/data/image_codecs.h"

namespace scdcf::data {
namespace {

constexpr std::array<std::uint8_t, 8> kPngSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

void append_word(Bytes& bytes, std::uint64_t word) {
  for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(word >> shift));
}

void append_chunk(Bytes& png, const char* type, const Bytes& content) {
  append_word(png, content.size());
  const std::size_t start = png.size();
  png.insert(png.end(), type, type + 4);
  png.insert(png.end(), content.begin(), content.end());
  append_word(png, crc32(crc32(0, nullptr, 0), png.data() + start, static_cast<uInt>(png.size() - start)));
}

void check_image(const Image& image) {
  require(image.channels == 1 || image.channels == 3, "image: got ", image.channels, " channels, expected 1 or 3");
  require(image.height > 0 && image.width > 0, "image: got ", image.width, " x ", image.height, " pixels");
  const std::size_t expected = std::size_t{1} * image.channels * image.height * image.width;
  require(image.pixels.size() == expected, "image: got ", image.pixels.size(), " bytes, expected ", expected);
}

}  // namespace

void codecs::check_announced_size(std::uint64_t width, std::uint64_t height, bool plausible, const Bytes& bytes,
                                  const std::string& name) {
  require(width > 0 && height > 0, name, ": got ", width, " x ", height, " pixels");
  require(width <= kLargestSide && height <= kLargestSide && width * height <= kLargestArea, name, ": got ", width,
          " x ", height, " pixels, expected at most ", kLargestSide, " a side and ", kLargestArea, " in all");
  require(plausible, name, ": announces ", width, " x ", height, " pixels, more than ", bytes.size(),
          " bytes can hold");
}

Image decode_image(const Bytes& bytes, const std::string& name) {
  if (bytes.size() >= 8 && std::equal(kPngSignature.begin(), kPngSignature.end(), bytes.begin()))
    return codecs::decode_png(bytes, name);
  if (bytes.size() >= 3 && bytes[0] == 0xFF && bytes[1] == 0xD8 && bytes[2] == 0xFF)
    return codecs::decode_jpeg(bytes, name);
  detail::fail(name, ": neither a PNG nor a JPEG picture");
}

Image read_image(const std::string& path) { return decode_image(read_file(path), path); }

Image with_channels(Image image, int channels) {
  check_image(image);
  require(channels == 1 || channels == 3, "channels: got ", channels, ", expected 1 or 3");
  if (image.channels == channels) return image;
  const std::size_t area = std::size_t{1} * image.height * image.width;
  if (channels == 3) {
    image.pixels.resize(3 * area);
    for (const std::size_t c : {1, 2}) std::memcpy(image.pixels.data() + c * area, image.pixels.data(), area);
  } else {
    const std::uint8_t* p = image.pixels.data();
    for (std::size_t i = 0; i < area; ++i)
      image.pixels[i] =
          static_cast<std::uint8_t>((299 * p[i] + 587 * p[i + area] + 114 * p[i + 2 * area] + 500) / 1000);
    image.pixels.resize(area);
  }
  image.channels = channels;
  return image;
}

Bytes encode_png(const Image& image) {
  check_image(image);
  const std::size_t height = image.height, width = image.width, channels = image.channels;
  Bytes rows;
  rows.reserve(height * (1 + width * channels));
  for (std::size_t y = 0; y < height; ++y) {
    rows.push_back(0);  // the row's filter: none
    for (std::size_t x = 0; x < width; ++x)
      for (std::size_t c = 0; c < channels; ++c) rows.push_back(image.pixels[(c * height + y) * width + x]);
  }
  uLongf packed_size = compressBound(static_cast<uLong>(rows.size()));
  Bytes packed(packed_size);
  require(compress2(packed.data(), &packed_size, rows.data(), static_cast<uLong>(rows.size()), 6) == Z_OK,
          "image: zlib could not compress ", rows.size(), " bytes");
  packed.resize(packed_size);

  Bytes header;
  append_word(header, width);
  append_word(header, height);
  for (const int byte : {8, channels == 3 ? 2 : 0, 0, 0, 0}) header.push_back(static_cast<std::uint8_t>(byte));
  Bytes png(kPngSignature.begin(), kPngSignature.end());
  append_chunk(png, "IHDR", header);
  append_chunk(png, "IDAT", packed);
  append_chunk(png, "IEND", {});
  return png;
}

void write_png(const std::string& path, const Image& image) {
  const Bytes bytes = encode_png(image);
  write_file_atomically(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace scdcf::data
