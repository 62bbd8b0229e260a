// Numbers on a grid as a picture: white for the lowest, through blue, to nearly black for the highest.
#pragma once

#include <vector>

#include "scdcf/report/canvas.h"

namespace scdcf::report {

/// values: [height, width]. Maps drawn with the same `low` and `high` can be compared by eye; what lies outside is
/// drawn as the nearest of the two.
Canvas heat_map(const std::vector<float>& values, int height, int width, float low, float high);

}  // namespace scdcf::report
