#include "scdcf/models/parameter_budget.h"

#include <algorithm>
#include <cmath>

namespace scdcf::models {

std::vector<int64_t> match_parameters(const std::vector<int64_t>& base, double target, const ParameterCount& count,
                                      int64_t multiple) {
  std::vector<int64_t> best, channels(base.size());
  double distance = 0;
  for (double m = 1.0 / 16; m <= 4; m *= 1.002) {
    for (size_t i = 0; i < base.size(); ++i)
      channels[i] = multiple * std::max<int64_t>(
                                   1, std::llround(m * static_cast<double>(base[i]) / static_cast<double>(multiple)));
    const double here = std::abs(count(channels) - target);
    if (!best.empty() && here >= distance) continue;
    best = channels;
    distance = here;
  }
  return best;
}

}  // namespace scdcf::models
