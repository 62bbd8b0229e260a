#include "scdcf/report/heat_map.h"

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"

namespace scdcf::report {
namespace {

/// Lightness falls evenly from one end to the other, so that the picture survives grey print.
constexpr std::array<Colour, 3> kRamp = {{{255, 255, 255}, {86, 160, 211}, {8, 29, 88}}};

Colour colour_at(float place) {
  const float position = place * static_cast<float>(kRamp.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(position), kRamp.size() - 2);
  const float share = position - static_cast<float>(below);
  Colour colour{};
  for (std::size_t c = 0; c < 3; ++c)
    colour[c] = static_cast<std::uint8_t>(std::lround((1 - share) * kRamp[below][c] + share * kRamp[below + 1][c]));
  return colour;
}

}  // namespace

Canvas heat_map(const std::vector<float>& values, int height, int width, float low, float high) {
  require(values.size() == static_cast<std::size_t>(height) * static_cast<std::size_t>(width), "heat map: got ",
          values.size(), " numbers, expected ", height, " x ", width);
  Canvas canvas(3, height, width, kRamp.front());
  const float range = high > low ? high - low : 1;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const float place = (values[static_cast<std::size_t>(y) * width + x] - low) / range;
      canvas.set(x, y, colour_at(std::isfinite(place) ? std::clamp(place, 0.0F, 1.0F) : 0.0F));
    }
  return canvas;
}

}  // namespace scdcf::report
