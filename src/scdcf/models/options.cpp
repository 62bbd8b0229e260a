#include "scdcf/models/options.h"

#include <algorithm>
#include <utility>

#include "scdcf/core/error.h"

namespace scdcf::models {

void refuse_unknown_options(const ModelOptions& options, const std::vector<std::string>& known) {
  const std::pair<const char*, bool> given[] = {
      {"modes", options.modes != 0},
      {"scale-modes", options.scale_modes != 0},
      {"scale-taps", options.scale_taps != 0},
      {"scales", options.scales != 0},
      {"scale-step", options.scale_step != 0},
      {"finest-width", options.finest_width != 0},
      {"scale-padding", !options.scale_padding.empty()},
      {"pooling", !options.pooling.empty()},
      {"basis", !options.basis.empty()},
      {"algorithm", !options.algorithm.empty()},
      {"width", options.width != 0},
  };
  for (const auto& [name, is_given] : given)
    require(!is_given || std::find(known.begin(), known.end(), name) != known.end(), "model ", options.name,
            " has no option --", name);
}

}  // namespace scdcf::models
