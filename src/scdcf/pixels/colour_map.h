// From a number to a colour, for pictures of feature maps. Torch-free.
#pragma once

#include "scdcf/pixels/canvas.h"

namespace scdcf::pixels {

enum class ColourMap {
  grey,     ///< black to white
  viridis,  ///< dark violet over green to yellow: equal steps look equal, also in grey print and to the colour-blind
};

/// The colour of `value` where 0 is the lower and 1 the upper end of the map; what lies beyond gets the end's colour.
Colour colour_of(ColourMap map, double value);

}  // namespace scdcf::pixels
