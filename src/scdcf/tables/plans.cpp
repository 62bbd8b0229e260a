#include "scdcf/tables/plans.h"

#include <algorithm>

#include "scdcf/models/registry.h"
#include "scdcf/tables/paper_numbers.h"
#include "scdcf/tables/plan_parts.h"

namespace scdcf::tables {
namespace {

constexpr std::int64_t kGeneralisationTest = 10000;
constexpr double kAugmentedOctaves = 1.585;                  // a third to three times: all sizes that are tested
constexpr double kSmallestTested = 0.3, kLargestTested = 1;  // factors of the scaled sets

/// Runs of Tables 1 and 2; of each list what the options leave of it.
Plan digits(const PlanOptions& options, const std::vector<std::string>& sets, const std::vector<int>& sizes,
            const std::vector<std::int64_t>& own_train_sizes, const std::vector<std::string>& models) {
  Plan plan;
  for (const int realisation : realisations(options, 5))
    for (const auto& name : data_sets(options, sets))
      for (const int size :
           chosen(sizes, options.quick && options.sizes.empty() ? std::vector<int>{28} : options.sizes))
        for (const auto train_size : train_sizes(options, own_train_sizes))
          for (const bool augmented : augmentations(options))
            for (const auto& model : chosen(models, options.models)) {
              auto config = base(options, model, name, size, train_size, realisation);
              train_as_in_tables(config.train, augmented);
              config = finished(config, options);
              fit_to_tables_of_digits(config.model, config);
              plan.push_back({config, runs::Measure::accuracy, ""});
            }
  return plan;
}

/// Trained on factors `smallest` to `largest`, tested on all.
train::RunConfig generalising(const PlanOptions& options, const std::string& model, const std::string& data,
                              std::int64_t train_size, int realisation, double smallest, double largest) {
  auto config = base(options, model, data, 28, train_size, realisation);
  config.data.smallest_factor = smallest;
  config.data.largest_factor = largest;
  if (has_range(model)) {  // all sizes that are tested
    config.model.smaller = std::max(1.0, smallest / kSmallestTested);
    config.model.larger = std::max(1.0, kLargestTested / largest);
  }
  if (config.data.test_size == 0) config.data.test_size = kGeneralisationTest;
  return config;
}

}  // namespace

Plan plan_digits(const PlanOptions& options, const std::string& data) {
  // The slowest would take as long as all the others together.
  const std::vector<std::string> quick_models = {"cnn", "dss", "sesn", "scdcfnet", "scdcfnet-full"};
  const auto own = options.quick && options.models.empty() ? quick_models : all_digit_models();
  return digits(options, {data}, {28, 56}, {2000, 5000, 10000}, own);
}

Plan plan_pooling(const PlanOptions& options) {
  auto plan = digits(options, {"smnist", "sfashion"}, {28}, {5000}, {"cnn", "sesn", "scdcfnet"});
  for (auto& run : plan) {
    run.config.model.pooling = "average";
    run.config.model.block = "relu-pool-norm";
  }
  return plan;
}

Plan plan_light(const PlanOptions& options) {
  Plan plan;
  for (auto& run : digits(options, {"smnist", "sfashion"}, {28}, {2000}, {"scdcfnet"})) {
    run.config.model.scale_taps = 1;
    plan.push_back(run);
    run.config.model.scales = 3;
    run.config.model.scale_step = 0.5;
    plan.push_back(run);
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
            auto config = base(options, "scdcfnet", name, 28, train_size, realisation);
            if (pair.modes != 15 || pair.scale_modes != 3) {
              config.model.modes = pair.modes;
              config.model.scale_modes = pair.scale_modes;
            }
            train_as_in_tables(config.train, augmented);
            plan.push_back({finished(config, options), runs::Measure::accuracy, ""});
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
  for (const int trial : realisations(options, 3))
    for (const auto& name : data_sets(options, {"stl10"}))
      for (const auto& model : chosen(natural_models(), options.models)) {
        const int own_size = name == "stl10" ? 96 : options.quick ? 28 : 64;
        const int size = options.sizes.empty() ? own_size : options.sizes.front();
        const std::int64_t all = 0;
        auto config = base(options, model, name, size, train_sizes(options, {all}, kQuickLargeTrain).front(), trial);
        config.train = natural_recipe(size);
        config.train.device = options.device;
        config.train.precision = options.precision;
        plan.push_back({finished(config, options, kQuickLargeEpochs), runs::Measure::accuracy, ""});
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
  for (const int realisation : realisations(options, 3))
    for (const auto& name : data_sets(options, {"smnist", "sfashion", "sglyphs"}))
      for (const auto train_size : train_sizes(options, {5000}))
        for (const auto& [smallest, largest] : ranges)
          for (const auto& model : chosen(own, options.models))
            for (const auto& grid : grids) {
              if (grid.scales > 0 && (model != "scdcfnet" || options.quick)) continue;
              auto config = generalising(options, model, name, train_size, realisation, smallest, largest);
              config.model.scales = grid.scales;
              config.model.scale_step = grid.step;
              config.model.finest_width = grid.finest_width;
              plan.push_back({finished(config, options), runs::Measure::scales, ""});
            }
  return plan;
}

Plan plan_augmented(const PlanOptions& options) {
  enum Training { plain, as_in_tables, longer };
  const std::vector<std::pair<const char*, Training>> rows = {
      {"cnn", plain},       {"cnn", as_in_tables},    {"cnn", longer},       {"scdcfnet", as_in_tables},
      {"scdcfnet", longer}, {"scdcfnet-full", plain}, {"pyramid-cnn", plain}};
  Plan plan;
  if (!allows(options.sizes, 28)) return plan;
  for (const int realisation : realisations(options, 5))
    for (const auto& name : data_sets(options, {"sfashion"}))
      for (const auto train_size : train_sizes(options, {5000}))
        for (const auto& [model, training] : rows) {
          if (!allows<std::string>(options.models, model)) continue;
          auto config = generalising(options, model, name, train_size, realisation, 0.8, 1.0);
          auto& train = config.train;
          if (training != plain) {
            train_as_in_tables(train, true);
            train.augment.scale_octaves = kAugmentedOctaves;
            train.augment.scale_law = "octaves";  // a factor uniform in [1/3, 3] would seldom be below 1
          }
          if (training == longer) {
            train.optimizer = "adamw";
            train.learning_rate = 3e-3;
            train.weight_decay = 0.5;
            train.schedule = "cosine";
            train.epochs = 120;
          }
          plan.push_back({finished(config, options), runs::Measure::scales, ""});
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
    auto config = base(options, model, data, 28, train_size, realisation);
    config.model.modes = modes;
    if (config.data.test_size == 0) config.data.test_size = kGeneralisationTest;
    plan.push_back({finished(config, options), runs::Measure::deformation, ""});
  };
  for (const int realisation : realisations(options, 3))
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
  if (accuracy.realisations.empty() && !accuracy.quick) accuracy.realisations = {0, 1};
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
    if (models::find_model(config.model.name).fits_objects) {  // as the data will have it
      config.model.smallest_object = run.config.data.smallest_factor;
      config.model.largest_object = run.config.data.largest_factor;
    }
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
