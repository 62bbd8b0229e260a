#include "scdcf/tables/plan_parts.h"

#include <numeric>

#include "scdcf/core/error.h"
#include "scdcf/data/named_set.h"
#include "scdcf/data/places.h"
#include "scdcf/tables/paper_numbers.h"
#include "scdcf/train/recipe.h"

namespace scdcf::tables {
namespace {

constexpr std::int64_t kQuickValidation = 50, kQuickTest = 200, kQuickBatch = 16, kQuickWarmUp = 10;
constexpr std::int64_t kSizesValidation = 2000;
constexpr std::int64_t kStirBatch = 32, kStirEpochs = 8, kLargeScaleBatch = 64, kLargeScaleEpochs = 10;
constexpr double kStirDropout = 0.5;
constexpr std::int64_t kTeachers = 3;

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

void train_as_in_tables(train::TrainOptions& train, bool augmented) {
  train.weight_decay = 0;
  train.augment.scale_octaves = augmented ? 1 : 0;
  if (augmented) train.augment.scale_law = "factor";
}

bool has_range(const std::string& model) { return allows(range_models(), model); }

train::RunConfig with_set_recipe(train::RunConfig config) {
  config = train::with_recipe(config);
  const auto kind = data::named_set(config.data.name).kind;
  if (kind == data::SetKind::scaled && has_range(config.model.name) && !config.train.augment.moves()) {
    config.train.teachers = kTeachers;
    config.train.keep = "last";  // which of the last epochs has the best of 2,000 validation images is chance
  }
  if (kind != data::SetKind::stir && kind != data::SetKind::large_scale) return config;
  // Of as many validation as training images, or more: these tell the epochs apart as well.
  if (config.data.validation_size == 0) config.data.validation_size = kSizesValidation;
  if (!has_range(config.model.name)) return config;
  const bool stir = kind == data::SetKind::stir;
  config.train.batch = stir ? kStirBatch : kLargeScaleBatch;
  config.train.epochs = stir ? kStirEpochs : kLargeScaleEpochs;
  // Of 500 different objects, each at every size, less is learned by heart so.
  if (stir && config.model.dropout < 0) config.model.dropout = kStirDropout;
  return config;
}

std::vector<std::string> data_sets(const PlanOptions& options, const std::vector<std::string>& own) {
  if (!options.data.empty()) return options.data;
  if (!options.quick) return own;
  for (const auto& name : own) {
    const auto base = data::named_set(name).base;
    if (!base.empty() && !data::find_dataset(base, options.data_dir).empty()) return {name};
  }
  auto drawn = own.front();
  const auto base = data::named_set(drawn).base;
  return {base.empty() ? "sglyphs" : drawn.replace(drawn.find(base), base.size(), "glyphs")};
}

std::vector<int> realisations(const PlanOptions& options, int count) {
  if (!options.realisations.empty()) return options.realisations;
  std::vector<int> all(static_cast<std::size_t>(options.quick ? 1 : count));
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

std::vector<std::int64_t> train_sizes(const PlanOptions& options, const std::vector<std::int64_t>& own,
                                      std::int64_t quick) {
  if (!options.train_sizes.empty()) return options.train_sizes;
  return options.quick ? std::vector<std::int64_t>{quick} : own;
}

train::RunConfig base(const PlanOptions& options, const std::string& model, const std::string& data, int size,
                      std::int64_t train_size, int realisation) {
  train::RunConfig config;
  config.model.name = model;
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

void fit_to_tables_of_digits(models::ModelOptions& model, const train::RunConfig& run) {
  const data::DataOptions whole;
  if (model.name != "scdcfnet-full" || data::named_set(run.data.name).kind != data::SetKind::scaled || is_quick(run) ||
      run.data.smallest_factor != whole.smallest_factor || run.data.largest_factor != whole.largest_factor)
    return;
  model.channels = {32, 64, 96};
  model.hidden = 224;
  // Objects at home 36 pixels wide, which the class layer's filters see all of. All sizes are trained on and none is
  // looked for beyond, where fine detail misleads: more modes, less dropout.
  model.modes = 6;
  model.finest_width = 5;
  model.span = 7.2;
  model.class_width = 10;
  model.dropout = 0.2;
}

train::RunConfig finished(train::RunConfig config, const PlanOptions& options, std::int64_t quick_epochs) {
  config = with_set_recipe(config);
  const auto epochs = options.epochs > 0 ? options.epochs : options.quick ? quick_epochs : config.train.epochs;
  set_epochs(config.train, epochs);
  if (!options.quick) return config;
  config.train.batch = kQuickBatch;
  config.train.teachers = 0;
  config.train.warm_up = std::min(config.train.warm_up, kQuickWarmUp);
  return config;
}

}  // namespace scdcf::tables
