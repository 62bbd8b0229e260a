#include "scdcf/pixels/canvas.h"

#include "scdcf/core/error.h"
#include "scdcf/pixels/bitmap_font.h"
#include "scdcf/pixels/image_file.h"

namespace scdcf::pixels {

Canvas::Canvas(int channels, int height, int width, Colour ground)
    : channels_(channels), height_(height), width_(width) {
  require(channels == 1 || channels == 3, "canvas: got ", channels, " channels, expected 1 or 3");
  require(height > 0 && width > 0, "canvas: got ", width, "x", height, " pixels");
  const auto area = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) pixels_.insert(pixels_.end(), area, ground[c]);
}

std::uint8_t& Canvas::at(int channel, int x, int y) {
  return pixels_[(static_cast<std::size_t>(channel) * height_ + y) * width_ + x];
}

void Canvas::set(int x, int y, Colour colour) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  for (int c = 0; c < channels_; ++c) at(c, x, y) = colour[static_cast<std::size_t>(c)];
}

void Canvas::paste(const std::uint8_t* picture, int channels, int height, int width, int x, int y, int zoom) {
  require(channels == 1 || channels == channels_, "canvas: got a picture of ", channels, " channels, expected ",
          channels_);
  const std::size_t area = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  for (int row = 0; row < height * zoom; ++row)
    for (int column = 0; column < width * zoom; ++column) {
      const auto* pixel = picture + std::ptrdiff_t{row / zoom} * width + column / zoom;
      set(x + column, y + row,
          channels == 1 ? Colour{*pixel, *pixel, *pixel} : Colour{*pixel, pixel[area], pixel[2 * area]});
    }
}

void Canvas::text(std::string_view line, int x, int y, int zoom, Colour colour) {
  for (const char letter : line) {
    for (int row = 0; row < kGlyphHeight * zoom; ++row)
      for (int column = 0; column < kGlyphWidth * zoom; ++column)
        if (glyph_pixel(letter, column / zoom, row / zoom)) set(x + column, y + row, colour);
    x += kGlyphAdvance * zoom;
  }
}

std::string encode_png(const Canvas& canvas) {
  const auto bytes = encode_png({canvas.channels(), canvas.height(), canvas.width(), canvas.pixels()});
  return {bytes.begin(), bytes.end()};
}

void write_png(const std::filesystem::path& file, const Canvas& canvas) {
  write_png(file.string(), {canvas.channels(), canvas.height(), canvas.width(), canvas.pixels()});
}

}  // namespace scdcf::pixels
