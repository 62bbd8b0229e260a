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

void resolve_common(ModelOptions& options, const CommonLimits& limits) {
  const auto& name = options.name;
  require(options.image_size >= limits.smallest_image && options.image_size % 4 == 0 && options.image_size <= 1024,
          name, ": image size: got ", options.image_size, ", expected a multiple of 4 from ", limits.smallest_image,
          " to 1024");
  require(options.classes >= 2, name, ": classes: got ", options.classes, ", expected at least 2");
  require(options.in_channels >= 1, name, ": input channels: got ", options.in_channels, ", expected at least 1");
  require(options.channels.empty() || options.channels.size() == limits.channel_counts, name, ": channels: got ",
          options.channels.size(), " numbers, expected one for ", limits.counts_of);
  for (const int64_t count : options.channels)
    require(count >= 1, name, ": channels: got ", count, ", expected at least 1");
  if (options.dropout < 0) options.dropout = limits.dropout;
  require(options.dropout < 1, name, ": dropout: got ", options.dropout, ", expected 0 <= p < 1");
}

}  // namespace scdcf::models
