#include "scdcf/models/options.h"

#include <algorithm>

#include "scdcf/core/error.h"
#include "scdcf/models/option_list.h"

namespace scdcf::models {

void refuse_unknown_options(const ModelOptions& options, const std::vector<std::string>& known) {
  static const std::vector<std::string> always = {"model",    "classes", "in_channels", "image_size",
                                                  "channels", "hidden",  "dropout"};
  const auto has = [](const auto& names, const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  ModelOptions given = options, left_open;
  std::vector<std::string> texts;
  visit_options(left_open, [&](const auto& option) { texts.push_back(option_text(option.value)); });
  auto text = texts.begin();
  visit_options(given, [&](const auto& option) {
    require(option_text(option.value) == *text++ || has(always, option.name) || has(known, option.name), option.name,
            ": model ", options.name, " has no such option");
  });
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
