#include "scdcf/tables/plans.h"

#include <algorithm>
#include <numeric>

#include "scdcf/core/error.h"
#include "scdcf/data/places.h"
#include "scdcf/tables/paper_numbers.h"
#include "scdcf/train/recipe.h"

namespace scdcf::tables {
namespace {

// Of quick runs: enough for networks of digits to know much more than chance, seconds each. Those of natural images
// take longer and learn less from as little: a few steps, to go through every part of a run.
constexpr std::int64_t kQuickTrain = 200, kQuickValidation = 50, kQuickTest = 200, kQuickEpochs = 6, kQuickBatch = 16,
                       kQuickWarmUp = 10;
constexpr std::int64_t kQuickNaturalTrain = 64, kQuickNaturalEpochs = 2;
constexpr std::int64_t kGeneralisationTest = 10000;
constexpr double kSmallestTested = 0.3, kLargestTested = 1;  // factors of the scaled sets

template <class T>
bool allows(const std::vector<T>& filter, const T& value) {
  return filter.empty() || std::find(filter.begin(), filter.end(), value) != filter.end();
}

template <class T>
std::vector<T> chosen(const std::vector<T>& all, const std::vector<T>& filter) {
  std::vector<T> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some), [&](const T& one) { return allows(filter, one); });
  return some;
}

std::vector<std::string> data_sets(const PlanOptions& options, const std::vector<std::string>& own) {
  if (!options.data.empty()) return options.data;
  if (!options.quick) return own;
  // One is enough to see that it works: the first that is at hand, and what is drawn where none is.
  for (const auto& name : own)
    if ((name == "smnist" || name == "sfashion") && !data::find_dataset(name.substr(1), options.data_dir).empty())
      return {name};
  return {"sglyphs"};
}

/// Those asked for, else `count` of them; two in a quick run, so that there is a deviation.
std::vector<int> realisations(const PlanOptions& options, int count) {
  if (!options.realisations.empty()) return options.realisations;
  std::vector<int> all(static_cast<std::size_t>(options.quick ? std::min(count, 2) : count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<bool> augmentations(const PlanOptions& options) {
  require(options.augmentation == "plain" || options.augmentation == "plus" || options.augmentation == "both",
          "augmentation: got \"", options.augmentation, "\", expected plain, plus or both");
  if (options.augmentation == "plain") return {false};
  if (options.augmentation == "plus") return {true};
  return options.quick ? std::vector<bool>{false} : std::vector<bool>{false, true};
}

/// Sizes of training sets: any that are asked for, else the experiment's own.
std::vector<std::int64_t> train_sizes(const PlanOptions& options, const std::vector<std::int64_t>& own,
                                      std::int64_t quick = kQuickTrain) {
  if (!options.train_sizes.empty()) return options.train_sizes;
  return options.quick ? std::vector<std::int64_t>{quick} : own;
}

/// What every run has from the options.
train::RunConfig base(const PlanOptions& options, const std::string& data, int size, std::int64_t train_size,
                      int realisation) {
  train::RunConfig config;
  config.data.name = data;
  config.data.data_dir = options.data_dir;
  config.data.size = size;
  config.data.train_size = train_size;
  config.data.realisation = realisation;
  config.train.device = options.device;
  config.train.precision = options.precision;
  if (options.quick) {
    config.data.validation_size = kQuickValidation;
    config.data.test_size = kQuickTest;
  }
  return config;
}

/// Gives the run the recipe of its network, and what the options say of its length.
void finish(train::RunConfig& config, const PlanOptions& options, std::int64_t quick_epochs = kQuickEpochs) {
  config = train::with_recipe(config);
  const auto epochs = options.epochs > 0 ? options.epochs : options.quick ? quick_epochs : config.train.epochs;
  set_epochs(config.train, epochs);
  if (!options.quick) return;
  config.train.batch = kQuickBatch;
  config.train.warm_up = std::min(config.train.warm_up, kQuickWarmUp);
}

}  // namespace

bool is_quick(const train::RunConfig& config) {
  return config.data.validation_size == kQuickValidation && config.data.test_size == kQuickTest &&
         config.train.batch == kQuickBatch;
}

void set_epochs(train::TrainOptions& train, std::int64_t epochs) {
  // Not before the first epoch, which every run should make at the full rate.
  for (auto& milestone : train.milestones) milestone = std::max<std::int64_t>(1, milestone * epochs / train.epochs);
  train.epochs = epochs;
}

Plan plan_digits(const PlanOptions& options, const std::string& data) {
  // The slowest would take as long as all the others together.
  const std::vector<std::string> quick_models = {"cnn", "dss", "sesn", "scdcfnet", "scdcfnet-full"};
  const auto own = options.quick && options.models.empty() ? quick_models : all_digit_models();
  Plan plan;
  for (const int realisation : realisations(options, 5))
    for (const auto& name : data_sets(options, {data}))
      for (const int size :
           chosen({28, 56}, options.quick && options.sizes.empty() ? std::vector<int>{28} : options.sizes))
        for (const auto train_size : train_sizes(options, {2000, 5000, 10000}))
          for (const bool augmented : augmentations(options))
            for (const auto& model : chosen(own, options.models)) {
              auto config = base(options, name, size, train_size, realisation);
              config.model.name = model;
              config.train.augment.scale_octaves = augmented ? 1 : 0;
              finish(config, options);
              plan.push_back({config, runs::Measure::accuracy, ""});
            }
  return plan;
}

Plan plan_ablation(const PlanOptions& options) {
  Plan plan;
  if (!allows<std::string>(options.models, "scdcfnet") || !allows(options.sizes, 28)) return plan;
  for (const int realisation : realisations(options, 5))
    for (const auto& name : data_sets(options, {"smnist", "sfashion"}))
      for (const auto train_size : train_sizes(options, {2000, 5000}))
        for (const bool augmented : augmentations(options))
          for (const auto& pair : ablation_pairs()) {
            if (options.quick && (pair.modes == 10 || pair.modes == 12 || pair.scale_modes == 2)) continue;
            auto config = base(options, name, 28, train_size, realisation);
            config.model.name = "scdcfnet";
            if (pair.modes != 15 || pair.scale_modes != 3) {
              config.model.modes = pair.modes;
              config.model.scale_modes = pair.scale_modes;
            }
            config.train.augment.scale_octaves = augmented ? 1 : 0;
            finish(config, options);
            plan.push_back({config, runs::Measure::accuracy, ""});
          }
  return plan;
}

train::TrainOptions natural_recipe(int size) {
  train::TrainOptions train;
  train.optimizer = "sgd";
  train.learning_rate = 0.1;
  train.momentum = 0.9;
  train.weight_decay = 5e-4;
  train.epochs = 1000;
  train.milestones = {300, 400, 600, 800};
  // 12 and 32 pixels of 96.
  train.augment.crop_padding = size / 8;
  train.augment.cutout = size / 3;
  train.augment.flip = true;
  return train;
}

Plan plan_natural(const PlanOptions& options) {
  Plan plan;
  for (const int trial : realisations(options, options.quick ? 1 : 3))
    for (const auto& name : data_sets(options, {"stl10"}))
      for (const auto& model : chosen(natural_models(), options.models)) {
        const int own_size = name == "stl10" ? 96 : options.quick ? 28 : 64;
        const int size = options.sizes.empty() ? own_size : options.sizes.front();
        const std::int64_t all = 0;
        auto config = base(options, name, size, train_sizes(options, {all}, kQuickNaturalTrain).front(), trial);
        config.model.name = model;
        config.train = natural_recipe(size);
        config.train.device = options.device;
        config.train.precision = options.precision;
        finish(config, options, kQuickNaturalEpochs);
        plan.push_back({config, runs::Measure::accuracy, ""});
      }
  return plan;
}

Plan plan_scale_generalisation(const PlanOptions& options) {
  struct Grid {
    int scales;
    double step, finest_width;
  };
  // The network's own; two octaves; three octaves. 28 pixels hold no more.
  const std::vector<Grid> grids = {{0, 0, 0}, {9, 0.25, 3.5}, {17, 0.1875, 2.5}};
  const std::vector<std::pair<double, double>> ranges = {{0.8, 1.0}, {0.3, 0.5}};
  const std::vector<std::string> quick_models = {"cnn", "scdcfnet", "scdcfnet-full"};
  const auto own = options.quick && options.models.empty() ? quick_models : all_digit_models();
  Plan plan;
  if (!allows(options.sizes, 28)) return plan;
  for (const int realisation : realisations(options, options.quick ? 1 : 3))
    for (const auto& name : data_sets(options, {"smnist", "sfashion", "sglyphs"}))
      for (const auto train_size : train_sizes(options, {5000}))
        for (const auto& [smallest, largest] : ranges)
          for (const auto& model : chosen(own, options.models))
            for (const auto& grid : grids) {
              if (grid.scales > 0 && (model != "scdcfnet" || (options.quick && grid.scales > 9))) continue;
              auto config = base(options, name, 28, train_size, realisation);
              config.model.name = model;
              config.model.scales = grid.scales;
              config.model.scale_step = grid.step;
              config.model.finest_width = grid.finest_width;
              config.data.smallest_factor = smallest;
              config.data.largest_factor = largest;
              if (allows(range_models(), model)) {  // all sizes that are tested
                config.model.smaller = std::max(1.0, smallest / kSmallestTested);
                config.model.larger = std::max(1.0, kLargestTested / largest);
              }
              if (config.data.test_size == 0) config.data.test_size = kGeneralisationTest;
              finish(config, options);
              plan.push_back({config, runs::Measure::scales, ""});
            }
  return plan;
}

Plan plan_deformation(const PlanOptions& options) {
  const std::vector<int> all_modes = {5, 8, 10, 15, 20, 25}, quick_modes = {5, 15};
  Plan plan;
  if (!allows(options.sizes, 28)) return plan;
  const auto add = [&](const std::string& data, std::int64_t train_size, int realisation, const std::string& model,
                       int modes) {
    if (!allows(options.models, model)) return;
    auto config = base(options, data, 28, train_size, realisation);
    config.model.name = model;
    config.model.modes = modes;
    if (config.data.test_size == 0) config.data.test_size = kGeneralisationTest;
    finish(config, options);
    plan.push_back({config, runs::Measure::deformation, ""});
  };
  for (const int realisation : realisations(options, options.quick ? 1 : 3))
    for (const auto& name : data_sets(options, {"smnist"}))
      for (const auto train_size : train_sizes(options, {2000})) {
        add(name, train_size, realisation, "cnn", 0);
        for (const int modes : options.quick ? quick_modes : all_modes)
          add(name, train_size, realisation, "scdcfnet", modes);
      }
  return plan;
}

CostPlan plan_cost(const PlanOptions& options, const std::string& machine) {
  CostPlan plan;
  auto accuracy = options;
  accuracy.augmentation = "plain";
  if (accuracy.sizes.empty()) accuracy.sizes = {28};
  if (accuracy.train_sizes.empty() && !accuracy.quick) accuracy.train_sizes = {2000};
  if (accuracy.realisations.empty()) accuracy.realisations = {0, 1};
  plan.accuracy = plan_digits(accuracy, "smnist");
  if (plan.accuracy.empty()) return plan;
  const auto ablation = plan_ablation(accuracy);
  for (const auto& run : ablation) {
    const bool all_scale_modes = run.config.model.scale_modes == 3;
    const bool own_data = options.data.empty() ? run.config.data.name == plan.accuracy.front().config.data.name : true;
    if (all_scale_modes && own_data) plan.accuracy.push_back(run);
  }
  // One measurement for every network that is trained, whatever its data and realisation.
  std::vector<std::string> known;
  for (const auto& run : plan.accuracy) {
    train::RunConfig config;
    config.model = run.config.model;
    config.data.size = run.config.data.size;
    config.train.device = options.device;
    config.train.precision = options.precision;
    const runs::PlannedRun cost{config, runs::Measure::cost, machine};
    const auto key = runs::key_of(cost);
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    known.push_back(key);
    plan.cost.push_back(cost);
  }
  return plan;
}

}  // namespace scdcf::tables
