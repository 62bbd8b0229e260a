#include "scdcf/demo/scale_story.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/models/scale_plan.h"
#include "scdcf/pixels/resize.h"

namespace scdcf::demo {

pixels::Canvas canvas_of(const data::ImageSet& set, std::int64_t index) {
  pixels::Canvas canvas(set.channels, set.height, set.width, {0, 0, 0});
  canvas.paste(set.image(index), set.channels, set.height, set.width, 0, 0, 1);
  return canvas;
}

ScaleStory tell_scale_story(const runs::TrainedModel& model, const pixels::Image& picture, std::int32_t label,
                            const std::vector<double>& factors) {
  const torch::NoGradGuard no_grad;
  data::ImageSet set{picture.channels, picture.height, picture.width, {}, {}, {}, {}, {}, {}};
  for (const double factor : factors) {
    const auto scaled = pixels::rescale_about_centre(picture, factor);
    set.pixels.insert(set.pixels.end(), scaled.pixels.begin(), scaled.pixels.end());
    set.labels.push_back(label);
  }
  const train::DeviceImages images(set, model.mean, model.deviation, torch::kCPU);
  const auto layers = model.network->features(images.images(images.range(0, set.count())));
  require(!layers.empty() && layers.back().maps.dim() == 5, "scale story: got a network without planes of scores");
  const auto scores = layers.back().maps.flatten(2).to(torch::kDouble);  // [sizes, classes, planes]
  auto options = model.config.model;
  const auto plan = models::plan_scales(options, options.planes_per_level);
  const double read = model.calibration ? model.calibration->estimate(0) : 1;
  ScaleStory story;
  story.truth = model.class_names.at(static_cast<size_t>(label));
  for (int s = 0; s < plan.planes(); ++s)
    story.home_factors.push_back(std::round(100 * plan.home_size(s) * read) / 100);
  for (size_t i = 0; i < factors.size(); ++i) {
    ScaleStory::Size size{factors[i], canvas_of(set, static_cast<std::int64_t>(i)), {}, 0};
    const auto here = scores[static_cast<int64_t>(i)][label].contiguous();
    size.scores.assign(here.data_ptr<double>(), here.data_ptr<double>() + here.numel());
    size.peak = static_cast<size_t>(std::max_element(size.scores.begin(), size.scores.end()) - size.scores.begin());
    story.sizes.push_back(std::move(size));
  }
  return story;
}

}  // namespace scdcf::demo
