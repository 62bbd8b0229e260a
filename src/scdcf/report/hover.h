// Plots that tell their numbers to whoever points at them, without a script: titles inside the SVG.
#pragma once

#include <string>
#include <vector>

#include "scdcf/report/plot.h"

namespace scdcf::report {

/// The SVG that gnuplot drew of these panels, every point with its values as title, every curve with its name. Points
/// are known by their order; where their number is not that of the data, the curve is left as it is.
std::string with_values(const std::string& svg, const std::vector<Plot>& panels);

}  // namespace scdcf::report
