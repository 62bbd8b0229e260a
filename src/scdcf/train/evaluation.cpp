#include "scdcf/train/evaluation.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/nn/eval_mode_guard.h"
#include "scdcf/train/autocast_scope.h"
#include "scdcf/train/device_work.h"

namespace scdcf::train {
namespace {

/// Edges of the groups are multiples of this.
constexpr double kScaleStep = 0.1;

/// The step a size belongs to; sizes are floats, so 0.7 may lie a little below 0.7.
int scale_bin(float scale) { return static_cast<int>(std::floor(scale / kScaleStep + 1e-4)); }

/// The groups of a set's sizes, still empty.
std::vector<Group> groups_of(const data::ImageSet& set) {
  std::vector<Group> groups;
  for (const auto& size : set.all_sizes) groups.push_back({size.name, size.scale, size.scale});
  if (!groups.empty() || set.scales.empty()) return groups;
  const auto [smallest, largest] = std::minmax_element(set.scales.begin(), set.scales.end());
  // The largest size closes its group instead of opening one of its own.
  const int first = scale_bin(*smallest),
            last = std::max(first, static_cast<int>(std::ceil(*largest / kScaleStep - 1e-4)) - 1);
  for (int i = first; i <= last; ++i)
    groups.push_back({format("%.1f-%.1f", i * kScaleStep, (i + 1) * kScaleStep), i * kScaleStep, (i + 1) * kScaleStep});
  return groups;
}

/// The one of them that a size belongs to: the last that does not begin above it.
Group& group_of(std::vector<Group>& groups, float scale) {
  const double tolerance = 1e-4 * kScaleStep;
  const auto above = std::upper_bound(groups.begin(), groups.end(), scale + tolerance,
                                      [](double size, const Group& group) { return size < group.from; });
  return above == groups.begin() ? groups.front() : *std::prev(above);
}

/// Of places [n, 2] in pixels.
double place_error(const data::ImageSet& set, const torch::Tensor& places) {
  require(set.centres.size() == set.labels.size(), "evaluation: got ", set.centres.size(),
          " centres of objects, expected ", set.count());
  const auto read = places.accessor<float, 2>();
  std::vector<double> distances;
  for (int64_t i = 0; i < set.count(); ++i) {
    const auto& centre = set.centres[static_cast<size_t>(i)];
    distances.push_back(std::hypot(read[i][0] - centre.x, read[i][1] - centre.y) / std::max(set.width, set.height));
  }
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

}  // namespace

Predictions predict(models::Network& network, const DeviceImages& images, int64_t batch, bool autocast,
                    const std::function<void(int64_t done)>& after_batch, distributed::Group* group) {
  require(images.count() > 0, "evaluation: got no images, expected at least one");
  const DeviceWork no_capture;
  const torch::NoGradGuard no_grad;
  const nn::EvalModeGuard in_eval_mode(network);
  const int64_t rank = group == nullptr ? 0 : group->rank(), ranks = group == nullptr ? 1 : group->size();
  const int64_t begin = images.count() * rank / ranks, end = images.count() * (rank + 1) / ranks;
  // Each image has a row: label, confidence, size, beyond, x, y. Those of other ranks stay zero until all are summed.
  constexpr int64_t kRow = 6;
  const auto doubles = torch::TensorOptions(images.device()).dtype(torch::kDouble);
  auto numbers = torch::zeros({images.count() * kRow + 4}, doubles);
  const auto rows = numbers.narrow(0, 0, images.count() * kRow).view({images.count(), kRow});
  auto loss = numbers[images.count() * kRow], correct = numbers[images.count() * kRow + 1],
       readings = numbers[images.count() * kRow + 2], placings = numbers[images.count() * kRow + 3];
  std::vector<torch::Tensor> all_scores;
  for (int64_t first = begin; first < end; first += batch) {
    const auto indices = images.range(first, std::min(batch, end - first));
    const auto expected = images.labels(indices);
    const auto here = rows.narrow(0, first, indices.size(0));
    torch::Tensor scores;
    {
      const AutocastScope scope(autocast);
      const auto shown = images.images(indices);
      const auto reading = network.read(shown);
      scores = reading ? reading->scores : network.forward(shown);
      if (reading) {
        here.select(1, 2).copy_(reading->size);
        here.select(1, 3).copy_(reading->beyond);
        readings.fill_(1);
        if (reading->place.defined()) {
          here.narrow(1, 4, 2).copy_(reading->place);
          placings.fill_(1);
        }
      }
    }
    all_scores.push_back(scores.to(torch::kFloat));
    const auto log_probability = all_scores.back().log_softmax(1);
    const auto [confidence, label] = log_probability.max(1);
    loss -= log_probability.gather(1, expected.unsqueeze(1)).sum().to(torch::kDouble);
    correct += label.eq(expected).sum();
    here.select(1, 0).copy_(label);
    here.select(1, 1).copy_(confidence.exp());
    if (after_batch) after_batch(std::min(first + batch, end) - begin);
  }
  if (group != nullptr) group->sum(numbers);
  const auto all = rows.cpu();
  Predictions result;
  if (group == nullptr) result.scores = torch::cat(all_scores).cpu();
  result.labels = all.select(1, 0).to(torch::kLong);
  result.confidence = all.select(1, 1).to(torch::kFloat);
  if (readings.item<double>() > 0) {
    result.sizes = all.select(1, 2).to(torch::kFloat);
    result.beyond = all.select(1, 3).to(torch::kLong);
    if (placings.item<double>() > 0) result.places = all.narrow(1, 4, 2).to(torch::kFloat).contiguous();
  }
  result.loss = loss.item<double>() / static_cast<double>(images.count());
  result.accuracy = correct.item<double>() / static_cast<double>(images.count());
  return result;
}

Evaluation evaluate(const data::ImageSet& set, const Predictions& predictions, double size_factor) {
  require(predictions.labels.size(0) == set.count(), "evaluation: got ", predictions.labels.size(0),
          " predictions, expected ", set.count());
  Evaluation result;
  result.accuracy = predictions.accuracy;
  result.loss = predictions.loss;
  for (const auto& name : set.class_names) result.classes.push_back({name});
  const bool sized = !set.scales.empty();
  require(!sized || set.scales.size() == set.labels.size(), "evaluation: got ", set.scales.size(),
          " sizes of objects, expected ", set.count());
  if (predictions.beyond.defined()) result.beyond = predictions.beyond.ne(0).sum().item<int64_t>();
  if (sized && predictions.sizes.defined())
    result.size_error = (predictions.sizes * size_factor / torch::tensor(set.scales) - 1).abs().median().item<double>();
  if (!set.centres.empty() && predictions.places.defined()) result.place_error = place_error(set, predictions.places);
  if (sized) result.scales = groups_of(set);
  const auto predicted = predictions.labels.accessor<int64_t, 1>();
  for (int64_t i = 0; i < set.count(); ++i) {
    const auto label = set.labels[static_cast<size_t>(i)];
    const auto count = [&](Group& group) {
      ++group.count;
      group.correct += predicted[i] == label ? 1 : 0;
    };
    if (static_cast<size_t>(label) < result.classes.size()) count(result.classes[static_cast<size_t>(label)]);
    if (sized) count(group_of(result.scales, set.scales[static_cast<size_t>(i)]));
  }
  return result;
}

nlohmann::ordered_json to_json(const Evaluation& evaluation) {
  nlohmann::ordered_json json;
  json["accuracy"] = evaluation.accuracy;
  json["loss"] = evaluation.loss;
  const auto accuracy = [](const Group& group) {
    return group.count == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(group.accuracy());
  };
  for (const auto& group : evaluation.classes)
    json["classes"].push_back({{"class", group.name}, {"count", group.count}, {"accuracy", accuracy(group)}});
  if (evaluation.size_error >= 0) json["size_error"] = evaluation.size_error;
  if (evaluation.place_error >= 0) json["place_error"] = evaluation.place_error;
  if (evaluation.beyond >= 0) json["beyond_range"] = evaluation.beyond;
  for (const auto& group : evaluation.scales)
    json["scales"].push_back({{"size", group.name},
                              {"from", group.from},
                              {"to", group.to},
                              {"count", group.count},
                              {"accuracy", accuracy(group)}});
  return json;
}

}  // namespace scdcf::train
