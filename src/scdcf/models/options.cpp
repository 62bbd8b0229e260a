#include "scdcf/models/options.h"

#include <algorithm>

#include "scdcf/core/error.h"
#include "scdcf/models/option_list.h"
#include "scdcf/nn/input_checks.h"

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
  require(options.image_size >= limits.smallest_image && options.image_size % 4 == 0, "image_size: got ",
          options.image_size, ", model ", options.name, " expects a multiple of 4 from ", limits.smallest_image, " on");
  const auto counts = options.channels.size();
  require(counts == 0 || counts == limits.channel_counts || (limits.or_more && counts > limits.channel_counts),
          "channels: got ", counts, " numbers, model ", options.name, " expects one for ", limits.counts_of);
  if (options.dropout < 0) options.dropout = limits.dropout;
}

void check_images(const ModelOptions& options, const at::Tensor& images) {
  const auto channels = options.in_channels, size = options.image_size;
  require(images.dim() == 4 && images.size(1) == channels && images.size(2) == size && images.size(3) == size,
          options.name, ": images: got shape ", images.sizes(), ", expected [N, ", channels, ", ", size, ", ", size,
          "]");
  nn::check_images(options.name.c_str(), images);
}

}  // namespace scdcf::models
