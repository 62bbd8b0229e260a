// From a number to a colour, for pictures of feature maps. Torch-free.
#pragma once

#include <vector>

#include "scdcf/pixels/canvas.h"

namespace scdcf::pixels {

enum class ColourMap {
  grey,     ///< black to white
  viridis,  ///< dark violet over green to yellow: equal steps look equal, also in grey print and to the colour-blind
  blues,    ///< white through blue to nearly black: for pages on white
};

/// The colour of `value` where 0 is the lower and 1 the upper end of the map; what lies beyond gets the end's colour.
Colour colour_of(ColourMap map, double value);

/// values: [height, width], a pixel each. Pictures drawn with the same `low` and `high` can be compared by eye.
Canvas coloured(ColourMap map, const std::vector<float>& values, int height, int width, float low, float high);

}  // namespace scdcf::pixels
