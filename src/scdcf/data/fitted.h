// A set whose images became squares of another size.
#pragma once

#include "scdcf/data/image_set.h"
#include "scdcf/pixels/network_input.h"

namespace scdcf::data {

/// Every image fitted into `size` pixels a side; scales and centres of the objects move with it.
ImageSet fitted(ImageSet set, pixels::Fit fit, int size);

}  // namespace scdcf::data
