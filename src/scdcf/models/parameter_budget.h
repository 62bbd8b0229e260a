// Channel counts that give networks with different convolutions the same number of parameters.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace scdcf::models {

using ParameterCount = std::function<double(const std::vector<int64_t>& channels)>;

/// The channels m * base, rounded to a multiple and at least that each, for the m from 1/16 to 4 at which `count` comes
/// closest to `target`.
std::vector<int64_t> match_parameters(const std::vector<int64_t>& base, double target, const ParameterCount& count,
                                      int64_t multiple = 1);

}  // namespace scdcf::models
