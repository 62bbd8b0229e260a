// Single pictures: PNG and JPEG into bytes, bytes into PNG.
#pragma once

#include <cstdint>
#include <string>

#include "scdcf/files/read_file.h"

namespace scdcf::pixels {

constexpr std::uint64_t kLargestSide = 16384;                   ///< of any picture, in pixels
constexpr std::uint64_t kLargestArea = std::uint64_t{1} << 26;  ///< 64 Mpixel

/// One picture. pixels: [channels, height, width], one byte each; channels: 1 (grey) or 3 (RGB).
struct Image {
  int channels = 1;
  int height = 0;
  int width = 0;
  files::Bytes pixels;
};

/// A PNG or JPEG file; which one it is, its first bytes say. Transparent pictures are laid on a ground of one grey
/// value, white unless asked otherwise; JPEGs are turned upright as their EXIF orientation says; 16 bits a sample are
/// rounded to 8. Throws Error, naming the file, for anything damaged, cut short or too large.
Image read_image(const std::string& path, std::uint8_t ground = 255);
Image decode_image(const files::Bytes& bytes, const std::string& name, std::uint8_t ground = 255);

/// "PNG", "JPEG", "WebP", "TIFF", "GIF", "BMP", "AVIF" or "HEIC", by the first 16 bytes of a file; empty for others.
std::string format_of(const files::Bytes& start);

/// `channels` 1: the luminance (299 R + 587 G + 114 B) / 1000; 3: grey repeated. A picture that has them is returned as
/// it is.
Image with_channels(Image image, int channels);

/// PNG of 8 bits a sample. write_png puts it under its name only when it is whole.
files::Bytes encode_png(const Image& image);
void write_png(const std::string& path, const Image& image);

}  // namespace scdcf::pixels
