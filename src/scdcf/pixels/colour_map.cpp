#include "scdcf/pixels/colour_map.h"

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"

namespace scdcf::pixels {
namespace {

/// Viridis at equal steps; between them straight lines in RGB stay within a few units of it.
constexpr std::array<Colour, 9> kViridis = {{{68, 1, 84},
                                             {71, 44, 122},
                                             {59, 81, 139},
                                             {44, 113, 142},
                                             {33, 144, 141},
                                             {39, 173, 129},
                                             {92, 200, 99},
                                             {170, 220, 50},
                                             {253, 231, 37}}};

/// Lightness falls evenly from one end to the other, so that the picture survives grey print.
constexpr std::array<Colour, 3> kBlues = {{{255, 255, 255}, {86, 160, 211}, {8, 29, 88}}};

std::uint8_t between(std::uint8_t low, std::uint8_t high, double part) {
  return static_cast<std::uint8_t>(std::lround(low + part * (high - low)));
}

template <std::size_t N>
Colour along(const std::array<Colour, N>& ramp, double value) {
  const double place = value * (N - 1);
  const auto index = std::min(static_cast<std::size_t>(place), N - 2);
  Colour colour{};
  for (std::size_t c = 0; c < colour.size(); ++c)
    colour[c] = between(ramp[index][c], ramp[index + 1][c], place - static_cast<double>(index));
  return colour;
}

}  // namespace

Colour colour_of(ColourMap map, double value) {
  value = value > 0 ? std::min(value, 1.0) : 0;  // also for what is not a number
  if (map == ColourMap::viridis) return along(kViridis, value);
  if (map == ColourMap::blues) return along(kBlues, value);
  const auto level = between(0, 255, value);
  return {level, level, level};
}

Canvas coloured(ColourMap map, const std::vector<float>& values, int height, int width, float low, float high) {
  require(values.size() == static_cast<std::size_t>(height) * static_cast<std::size_t>(width), "picture: got ",
          values.size(), " numbers, expected ", height, " x ", width);
  Canvas canvas(3, height, width, colour_of(map, 0));
  const float range = high > low ? high - low : 1;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      canvas.set(x, y, colour_of(map, (values[static_cast<std::size_t>(y) * width + x] - low) / range));
  return canvas;
}

}  // namespace scdcf::pixels
