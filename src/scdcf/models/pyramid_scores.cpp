#include "scdcf/models/pyramid_scores.h"

#include <torch/torch.h>

#include <algorithm>

#include "scdcf/nn/read_out.h"

namespace scdcf::models {

torch::Tensor training_scores_of(const std::vector<torch::Tensor>& levels, const torch::Tensor& labels,
                                 const ScalePlan& plan) {
  const int64_t planes = plan.planes_per_level;
  torch::Tensor home, everywhere;
  for (int i = 0; i < plan.levels(); ++i) {
    const auto& scores = levels[static_cast<size_t>(i)];
    if (!plan.is_home_level(i)) continue;
    const int64_t first = std::max<int64_t>(0, plan.first_home - i * planes);
    const int64_t last = std::min<int64_t>(planes - 1, plan.last_home - i * planes);
    const auto here = scores.narrow(2, first, last - first + 1).amax(2), all = scores.amax(2);
    home = home.defined() ? torch::maximum(home, here) : here;
    everywhere = everywhere.defined() ? torch::maximum(everywhere, all) : all;
  }
  for (int i = 0; i < static_cast<int>(levels.size()); ++i) {
    const auto& scores = levels[static_cast<size_t>(i)];
    if (plan.is_home_level(i) || !scores.defined()) continue;
    const int64_t shown = scores.size(0);
    const auto first = torch::maximum(everywhere.narrow(0, 0, shown), scores.amax(2));
    everywhere = torch::cat({first, everywhere.narrow(0, shown, everywhere.size(0) - shown)});
  }
  const auto right = labels.unsqueeze(1).eq(torch::arange(home.size(1), labels.options()));
  return torch::where(right, home, everywhere);
}

Reading reading_of(const torch::Tensor& planes, const torch::Tensor& places, double step, double first_size) {
  const auto found = nn::read_out(planes);
  const auto label = found.scores.argmax(1);
  const auto plane = found.plane.gather(1, label.unsqueeze(1)).squeeze(1);
  const auto of_label =
      planes.gather(1, label.view({-1, 1, 1}).expand({-1, 1, planes.size(2)})).squeeze(1).to(torch::kFloat);
  Reading reading;
  reading.scores = found.scores;
  reading.size = torch::exp2(nn::interpolated_plane(of_label, plane) * step) * first_size;
  if (places.defined()) {
    const auto of_best = label.view({-1, 1, 1, 1}).expand({-1, 1, places.size(2), 2});
    const auto at_plane = plane.view({-1, 1, 1}).expand({-1, 1, 2});
    reading.place = places.gather(1, of_best).squeeze(1).gather(1, at_plane).squeeze(1);
  }
  reading.beyond = plane.eq(planes.size(2) - 1).to(torch::kLong) - plane.eq(0).to(torch::kLong);
  return reading;
}

}  // namespace scdcf::models
