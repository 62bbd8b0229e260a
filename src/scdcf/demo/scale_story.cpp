#include "scdcf/demo/scale_story.h"

#include <torch/torch.h>

#include <cmath>

#include "scdcf/core/error.h"
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
  data::ImageSet set{picture.channels, picture.height, picture.width, {}, {}, {}, {}, {}, {}, {}};
  for (const double factor : factors) {
    const auto scaled = pixels::rescale_about_centre(picture, factor);
    set.pixels.insert(set.pixels.end(), scaled.pixels.begin(), scaled.pixels.end());
    set.labels.push_back(label);
  }
  const train::DeviceImages images(set, model.mean, model.deviation, torch::kCPU);
  const auto planes = model.network->planes(images.images(images.range(0, set.count())));
  require(!planes.empty(), "scale story: got a network without planes of scores");
  const double read = model.calibration ? model.calibration->estimate(0) : 1;
  ScaleStory story;
  story.truth = model.class_names.at(static_cast<size_t>(label));
  for (const auto& plane : planes) story.home_factors.push_back(std::round(100 * plane.home_size * read) / 100);
  for (size_t i = 0; i < factors.size(); ++i) {
    ScaleStory::Size size{factors[i], canvas_of(set, static_cast<std::int64_t>(i)), {}};
    for (const auto& plane : planes) size.scores.push_back(plane.scores[static_cast<int64_t>(i)][label].item<double>());
    story.sizes.push_back(std::move(size));
  }
  return story;
}

}  // namespace scdcf::demo
