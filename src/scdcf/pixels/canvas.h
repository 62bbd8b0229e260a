// A picture to draw on: filled areas, other pictures, short labels. Torch-free.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace scdcf::pixels {

using Colour = std::array<std::uint8_t, 3>;  ///< a canvas of one channel takes the first

/// pixels: [channels, height, width], one byte each; channels: 1 (grey) or 3 (RGB). What reaches over an edge is cut
/// off.
class Canvas {
 public:
  Canvas(int channels, int height, int width, Colour ground);
  int channels() const { return channels_; }
  int height() const { return height_; }
  int width() const { return width_; }
  const std::vector<std::uint8_t>& pixels() const { return pixels_; }

  void set(int x, int y, Colour colour);
  /// A picture [channels, height, width] with its upper left corner at (x, y), every pixel `zoom` by `zoom` large.
  /// Grey goes on a canvas of colours; colours on a grey canvas do not.
  void paste(const std::uint8_t* picture, int channels, int height, int width, int x, int y, int zoom);
  /// Letters of bitmap_font.h, the upper left corner of the first at (x, y).
  void text(std::string_view line, int x, int y, int zoom, Colour colour);

 private:
  std::uint8_t& at(int channel, int x, int y);
  int channels_, height_, width_;
  std::vector<std::uint8_t> pixels_;
};

/// The bytes of a PNG file of 8 bits a sample.
std::string encode_png(const Canvas& canvas);
/// The same as a file, in place only when it is whole. Throws Error where it cannot be written.
void write_png(const std::filesystem::path& file, const Canvas& canvas);

}  // namespace scdcf::pixels
