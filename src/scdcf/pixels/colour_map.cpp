#include "scdcf/pixels/colour_map.h"

#include <algorithm>
#include <cmath>

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

std::uint8_t between(std::uint8_t low, std::uint8_t high, double part) {
  return static_cast<std::uint8_t>(std::lround(low + part * (high - low)));
}

}  // namespace

Colour colour_of(ColourMap map, double value) {
  value = value > 0 ? std::min(value, 1.0) : 0;  // also for what is not a number
  if (map == ColourMap::grey) {
    const auto level = between(0, 255, value);
    return {level, level, level};
  }
  const double place = value * (kViridis.size() - 1);
  const auto index = std::min(static_cast<std::size_t>(place), kViridis.size() - 2);
  Colour colour{};
  for (std::size_t c = 0; c < colour.size(); ++c)
    colour[c] = between(kViridis[index][c], kViridis[index + 1][c], place - static_cast<double>(index));
  return colour;
}

}  // namespace scdcf::pixels
