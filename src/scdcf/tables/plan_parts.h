// What the plans of all experiments have in common.
#pragma once

#include <algorithm>
#include <iterator>

#include "scdcf/tables/plan_options.h"
#include "scdcf/train/config.h"

namespace scdcf::tables {

// Of quick runs: enough for networks of digits to know much more than chance, seconds each. Those of larger images take
// longer and learn less from as little: a few steps, to go through every part of a run.
constexpr std::int64_t kQuickTrain = 200, kQuickEpochs = 6;
constexpr std::int64_t kQuickLargeTrain = 64, kQuickLargeEpochs = 2;

/// Whether a run is one of those that only show that it works.
bool is_quick(const train::RunConfig& config);

/// Other epochs with the same shape of the learning rate.
void set_epochs(train::TrainOptions& train, std::int64_t epochs);

/// What Tables 1 to 3 have beside the paper's recipe, where it is silent: Adam without decay, and images that are
/// augmented rescaled by a factor uniform in [0.5, 2].
void train_as_in_tables(train::TrainOptions& train, bool augmented);

/// How a network is trained on a set: train::with_recipe; on the stir and large-scale sets validated on 2,000 images.
/// Networks that are told which sizes to look for are trained there for 8 epochs in batches of 32 and for 10 in batches
/// of 64; on the scaled sets, where images are not augmented, they have three teachers.
train::RunConfig with_set_recipe(train::RunConfig config);

/// The networks that the paper compares on rescaled digits have 470,000 to 495,000 parameters each; scdcfnet-full gets
/// as many where a run is of these tables: of a scaled set in the whole range of factors, and not a quick one.
void fit_to_tables_of_digits(models::ModelOptions& model, const train::RunConfig& run);

/// An empty filter leaves everything.
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

/// Whether a network is told which sizes to look for: model.smaller and model.larger.
bool has_range(const std::string& model);

/// Those asked for, else the experiment's own. In a quick run one is enough to see that it works: the first that is at
/// hand, and its like of glyphs, which are drawn, where none is.
std::vector<std::string> data_sets(const PlanOptions& options, const std::vector<std::string>& own);

/// Those asked for, else `count` of them, or one in a quick run.
std::vector<int> realisations(const PlanOptions& options, int count);

/// Without and with augmentation by scaling.
std::vector<bool> augmentations(const PlanOptions& options);

/// Sizes of training sets: any that are asked for, else the experiment's own.
std::vector<std::int64_t> train_sizes(const PlanOptions& options, const std::vector<std::int64_t>& own,
                                      std::int64_t quick = kQuickTrain);

/// What every run has from the options.
train::RunConfig base(const PlanOptions& options, const std::string& model, const std::string& data, int size,
                      std::int64_t train_size, int realisation);

/// The run with the recipe of its network, and with what the options say of its length.
train::RunConfig finished(train::RunConfig config, const PlanOptions& options,
                          std::int64_t quick_epochs = kQuickEpochs);

}  // namespace scdcf::tables
