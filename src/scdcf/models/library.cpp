// What is registered of the networks for those that are put together in another language, python/scdcf/models: their
// options, as words (core/named_texts.h), and what is worked out from these.
#include <torch/library.h>

#include <algorithm>

#include "scdcf/core/error.h"
#include "scdcf/core/named_texts.h"
#include "scdcf/core/runtime.h"
#include "scdcf/models/option_list.h"
#include "scdcf/models/pyramid_scores.h"
#include "scdcf/models/registry.h"
#include "scdcf/models/skeleton.h"

namespace scdcf::models {
namespace {

using TextDict = c10::Dict<std::string, std::string>;

ModelOptions read_options(const TextDict& given) {
  ModelOptions options;
  visit_options(options, [&](const auto& option) {
    const auto found = given.find(option.name);
    if (found == given.end()) return;
    option.value = value_from_text<std::decay_t<decltype(option.value)>>(option.name, found->value());
  });
  for (const auto& item : given) {
    bool known = false;
    visit_options(options, [&](const auto& option) { known = known || item.key() == option.name; });
    require(known, item.key(), ": no network has such an option");
  }
  return options;
}

/// The options of the network that `given` names, with all that was left open; their kinds; and what they are.
std::tuple<TextDict, TextDict, TextDict> network_options(const TextDict& given) {
  auto options = resolve(read_options(given));
  TextDict values, kinds, help;
  visit_options(options, [&](const auto& option) {
    values.insert(option.name, exact_text(option.value));
    kinds.insert(option.name, kind_of<std::decay_t<decltype(option.value)>>());
    help.insert(option.name, option.help);
  });
  return {values, kinds, help};
}

/// Window and padding of the pooling behind a block.
std::tuple<int64_t, int64_t> pooling_of_block(int64_t image_size, int64_t block) {
  const auto pooling = skeleton_pooling(image_size, static_cast<int>(block));
  return {pooling.window, pooling.padding};
}

/// Enlargements and frames of the levels, then those of training alone; which of the former are at home; planes of each
/// level, first and last plane at home; octaves between planes, the size that the first is at home at; a line about it.
std::tuple<std::vector<double>, std::vector<int64_t>, std::vector<int64_t>, std::vector<int64_t>, double, double,
           std::string>
scale_plan(const TextDict& given) {
  auto options = resolve(read_options(given));
  const auto plan = plan_scales(options, std::max(1, options.planes_per_level));
  std::vector<int64_t> home;
  for (int i = 0; i < plan.levels(); ++i) home.push_back(plan.is_home_level(i) ? 1 : 0);
  auto enlargements = plan.enlargements;
  auto frames = plan.frames;
  enlargements.insert(enlargements.end(), plan.training_enlargements.begin(), plan.training_enlargements.end());
  frames.insert(frames.end(), plan.training_frames.begin(), plan.training_frames.end());
  return {enlargements,      frames,        home, {plan.planes_per_level, plan.first_home, plan.last_home}, plan.step,
          plan.home_size(0), describe(plan)};
}

torch::Tensor pyramid_training_scores(const c10::List<c10::optional<torch::Tensor>>& levels,
                                      const torch::Tensor& labels, int64_t planes_per_level, int64_t first_home,
                                      int64_t last_home) {
  std::vector<torch::Tensor> scores;
  for (const c10::optional<torch::Tensor> level : levels) scores.push_back(level.value_or(torch::Tensor()));
  constexpr int64_t kMostPlanes = 1 << 20;
  const auto count = static_cast<int64_t>(scores.size());
  require(planes_per_level >= 1 && planes_per_level <= kMostPlanes, "training scores: planes_per_level: got ",
          planes_per_level, ", expected 1 to ", kMostPlanes);
  require(0 <= first_home && first_home <= last_home && last_home < count * planes_per_level,
          "training scores: home planes: got ", first_home, " to ", last_home, ", expected a range within the ",
          count * planes_per_level, " planes of ", count, " levels");
  const int64_t first_level = first_home / planes_per_level, last_level = last_home / planes_per_level;
  for (int64_t i = first_level; i <= last_level; ++i)
    require(scores[static_cast<size_t>(i)].defined(), "training scores: levels: got none at ", i,
            ", expected scores of every level that is at home");
  const auto& home = scores[static_cast<size_t>(first_level)];
  for (int64_t i = 0; i < count; ++i) {
    const auto& level = scores[static_cast<size_t>(i)];
    if (!level.defined()) continue;
    require(level.dim() == 3 && home.dim() == 3 && level.size(1) == home.size(1) && level.size(2) == planes_per_level,
            "training scores: levels: got shape ", level.sizes(), " at ", i, ", expected [n, classes, ",
            planes_per_level, "] with as many classes at all");
    const bool is_home = i >= first_level && i <= last_level;
    require(is_home ? level.size(0) == home.size(0) : level.size(0) <= home.size(0), "training scores: levels: got ",
            level.size(0), " images at ", i, ", expected ", is_home ? "" : "at most ", home.size(0));
    require(level.is_floating_point() && level.options().type_equal(home.options()), "training scores: levels: got ",
            level.toString(), " at ", i, ", expected floating point, the same at all");
  }
  require(labels.dim() == 1 && labels.size(0) == home.size(0) && labels.scalar_type() == torch::kLong,
          "training scores: labels: got shape ", labels.sizes(), " of type ", labels.scalar_type(), ", expected [",
          home.size(0), "] of type Long");
  ScalePlan plan;
  plan.enlargements.resize(scores.size());
  plan.planes_per_level = static_cast<int>(planes_per_level);
  plan.first_home = static_cast<int>(first_home);
  plan.last_home = static_cast<int>(last_home);
  return training_scores_of(scores, labels, plan);
}

std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> pyramid_reading(const torch::Tensor& planes, double step,
                                                                        double first_size) {
  const auto reading = reading_of(planes, {}, step, first_size);
  return {reading.scores, reading.size, reading.beyond};
}

std::string version_text() { return version(); }

}  // namespace

TORCH_LIBRARY_FRAGMENT(scdcf, m) {
  m.def("version() -> str", version_text);
  m.def("network_options(Dict(str, str) given) -> (Dict(str, str), Dict(str, str), Dict(str, str))", network_options);
  m.def("pooling_of_block(int image_size, int block) -> (int, int)", pooling_of_block);
  m.def("scale_plan(Dict(str, str) options) -> (float[], int[], int[], int[], float, float, str)", scale_plan);
  m.def(
      "pyramid_training_scores(Tensor?[] levels, Tensor labels, int planes_per_level, int first_home, int last_home) "
      "-> Tensor",
      pyramid_training_scores);
  m.def("pyramid_reading(Tensor planes, float step, float first_size) -> (Tensor, Tensor, Tensor)", pyramid_reading);
}

}  // namespace scdcf::models
