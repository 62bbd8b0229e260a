#include "scdcf/models/pyramid_scores.h"

#include <torch/torch.h>

#include <limits>

#include "scdcf/nn/read_out.h"

namespace scdcf::models {

/// In few operations, most of which a small network would take as long for as for its convolutions: all levels side by
/// side, where images that a level has not seen say nothing there, and one maximum.
torch::Tensor training_scores_of(const std::vector<torch::Tensor>& levels, const torch::Tensor& labels,
                                 const ScalePlan& plan) {
  const int64_t planes = plan.planes_per_level;
  const auto& at_home = levels[static_cast<size_t>(plan.first_home / planes)];
  const int64_t images = at_home.size(0), classes = at_home.size(1);
  const auto silence = torch::full({images, classes, planes}, -std::numeric_limits<double>::infinity(),
                                   at_home.options().requires_grad(false));
  std::vector<torch::Tensor> rows;
  for (const auto& scores : levels) {
    const int64_t shown = scores.defined() ? scores.size(0) : 0;
    if (shown > 0) rows.push_back(scores);
    if (shown < images) rows.push_back(silence.narrow(0, shown, images - shown));
  }
  const auto count = static_cast<int64_t>(levels.size());
  const auto everywhere = torch::cat(rows).view({count, images, classes, planes});
  const auto plane = torch::arange(count * planes, labels.options()).view({count, 1, 1, planes});
  const auto elsewhere = plane.lt(plan.first_home).logical_or_(plane.gt(plan.last_home));
  const auto right = labels.unsqueeze(1).eq(torch::arange(classes, labels.options())).unsqueeze(2);
  return everywhere.masked_fill(elsewhere.logical_and(right), -std::numeric_limits<double>::infinity()).amax({0, 3});
}

Reading reading_of(const torch::Tensor& planes, const torch::Tensor& places, double step, double first_size) {
  const auto found = nn::read_out(planes);
  const auto label = found.scores.argmax(1);
  const auto plane = found.plane.gather(1, label.unsqueeze(1)).squeeze(1);
  const auto of_label =
      planes.gather(1, label.view({-1, 1, 1}).expand({-1, 1, planes.size(2)})).squeeze(1).to(torch::kFloat);
  Reading reading;
  reading.scores = found.scores;
  const auto peak = nn::peak_plane(of_label, plane);
  reading.size = torch::exp2(nn::interpolated_plane(of_label, plane) * step) * first_size;
  if (places.defined()) {
    const auto of_best = label.view({-1, 1, 1, 1}).expand({-1, 1, places.size(2), 2});
    const auto at_plane = plane.view({-1, 1, 1}).expand({-1, 1, 2});
    reading.place = places.gather(1, of_best).squeeze(1).gather(1, at_plane).squeeze(1);
  }
  const double last = static_cast<double>(planes.size(2)) - 1;
  reading.beyond = peak.gt(last + 0.5).to(torch::kLong) - peak.lt(-0.5).to(torch::kLong);
  return reading;
}

}  // namespace scdcf::models
