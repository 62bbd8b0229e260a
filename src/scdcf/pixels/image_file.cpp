#include "scdcf/pixels/image_file.h"

#include <cstring>
#include <string_view>

#include "scdcf/core/error.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/pixels/image_codecs.h"
#include "scdcf/pixels/image_header.h"

namespace scdcf::pixels {
namespace {

/// Formats by the text that a file has at a position.
struct Signature {
  const char* format;
  std::size_t position;
  std::string_view text;
};
constexpr Signature kSignatures[] = {
    {"PNG", 0, "\x89PNG\r\n\x1A\n"}, {"JPEG", 0, "\xFF\xD8\xFF"}, {"WebP", 8, "WEBP"}, {"TIFF", 0, {"II*\0", 4}},
    {"TIFF", 0, {"MM\0*", 4}},       {"GIF", 0, "GIF8"},          {"BMP", 0, "BM"},    {"AVIF", 4, "ftypavif"},
    {"HEIC", 4, "ftyphei"},          {"HEIC", 4, "ftypmif1"},
};

void check_image(const Image& image) {
  require(image.channels == 1 || image.channels == 3, "image: got ", image.channels, " channels, expected 1 or 3");
  require(image.height > 0 && image.width > 0, "image: got ", image.width, " x ", image.height, " pixels");
  const std::size_t expected = std::size_t{1} * image.channels * image.height * image.width;
  require(image.pixels.size() == expected, "image: got ", image.pixels.size(), " bytes, expected ", expected);
}

}  // namespace

void codecs::check_announced_size(std::uint64_t width, std::uint64_t height, bool plausible, const files::Bytes& bytes,
                                  const std::string& name) {
  require(width > 0 && height > 0, name, ": got ", width, " x ", height, " pixels");
  require(width <= kLargestSide && height <= kLargestSide && width * height <= kLargestArea, name, ": got ", width,
          " x ", height, " pixels, expected at most ", kLargestSide, " a side and ", kLargestArea, " in all");
  require(plausible, name, ": announces ", width, " x ", height, " pixels, more than ", bytes.size(),
          " bytes can hold");
}

std::string format_of(const files::Bytes& bytes) {
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const auto& [format, position, text] : kSignatures)
    if (start.size() >= position && start.substr(position, text.size()) == text) return format;
  return "";
}

Image decode_image(const files::Bytes& bytes, const std::string& name, std::uint8_t ground) {
  const auto format = format_of(bytes);
  if (format == "PNG") return codecs::decode_png(bytes, name, ground);
  if (format == "JPEG") return upright(codecs::decode_jpeg(bytes, name), exif_orientation(bytes));
  detail::fail(name, ": neither a PNG nor a JPEG image", format.empty() ? "" : ", but " + format);
}

Image read_image(const std::string& path, std::uint8_t ground) {
  return decode_image(files::read_file(path), path, ground);
}

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

files::Bytes encode_png(const Image& image) {
  check_image(image);
  return codecs::encode_png(image);
}

void write_png(const std::string& path, const Image& image) {
  const files::Bytes bytes = encode_png(image);
  files::write_file_atomically(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace scdcf::pixels
