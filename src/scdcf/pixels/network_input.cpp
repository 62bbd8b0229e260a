#include "scdcf/pixels/network_input.h"

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"

namespace scdcf::pixels {

Fit fit_of(const std::string& name) {
  if (name == "crop") return Fit::crop;
  if (name == "pad") return Fit::pad;
  require(name == "stretch", "fit: got \"", name, "\", expected crop, pad or stretch");
  return Fit::stretch;
}

Window placement(Fit fit, int height, int width, int size) {
  require(size > 0 && size <= static_cast<int>(kLargestSide), "size: got ", size, " pixels, expected 1 to ",
          kLargestSide);
  if (fit == Fit::stretch) return {0, 0, size, size};
  const int whole = fit == Fit::crop ? std::min(height, width) : std::max(height, width);
  const auto resized = [&](int side) { return std::max(1, static_cast<int>(std::lround(1.0 * side * size / whole))); };
  const int new_height = resized(height), new_width = resized(width);
  return {(size - new_height) / 2, (size - new_width) / 2, new_height, new_width};
}

Image fitted(const Image& image, Fit fit, int size) {
  const auto [top, left, height, width] = placement(fit, image.height, image.width, size);
  if (fit != Fit::pad) return resize(image, height, width, {-top, -left, size, size});
  const Image inner = resize(image, height, width);
  if (height == width) return inner;
  Image square{image.channels, size, size, {}};
  square.pixels.assign(std::size_t{1} * image.channels * size * size, 0);
  for (int c = 0; c < image.channels; ++c)
    for (int y = 0; y < height; ++y) {
      const auto* row = inner.pixels.data() + (static_cast<std::ptrdiff_t>(c) * height + y) * width;
      std::copy(row, row + width,
                square.pixels.data() + (static_cast<std::ptrdiff_t>(c) * size + top + y) * size + left);
    }
  return square;
}

NetworkInput network_input(const files::Bytes& file, const std::string& name, const InputFormat& format) {
  Image image = decode_image(file, name, format.invert ? 255 - format.background : format.background);
  const int height = image.height, width = image.width;
  if (format.invert)
    for (auto& pixel : image.pixels) pixel = static_cast<std::uint8_t>(255 - pixel);
  if (format.size > 0) image = fitted(image, format.fit, format.size);
  if (format.channels > 0) image = with_channels(std::move(image), format.channels);
  return {std::move(image), height, width};
}

}  // namespace scdcf::pixels
