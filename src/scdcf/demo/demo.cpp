#include "scdcf/demo/demo.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "scdcf/core/clock.h"
#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/data/places.h"
#include "scdcf/data/pool.h"
#include "scdcf/demo/folder.h"
#include "scdcf/demo/page.h"
#include "scdcf/demo/scale_story.h"
#include "scdcf/explore/explore.h"
#include "scdcf/files/make_folder.h"
#include "scdcf/models/registry.h"
#include "scdcf/runs/run_folder.h"
#include "scdcf/theory/network_equivariance.h"
#include "scdcf/train/recipe.h"

namespace scdcf::demo {
namespace {

constexpr int64_t kBatch = 200;
constexpr size_t kSamples = 12;
constexpr int64_t kPicturesForErrors = 64;

const std::vector<std::string>& names() {
  static const std::vector<std::string> names = {"ScDCFNet", "CNN", "Pyramid CNN"};
  return names;
}

train::RunConfig config_of(const DemoOptions& options, const std::string& model) {
  train::RunConfig config;
  config.model.name = model;
  config.data = options.data;
  config.data.smallest_factor = config.data.largest_factor = options.trained_factor;
  config = train::with_recipe(config);
  config.train.batch = options.batch;
  config.train.epochs = options.epochs;
  if (model == "cnn") {
    config.model.channels = options.cnn_channels;
    // Most of the time at the full rate, then two short stretches that settle.
    config.train.milestones = {std::max<int64_t>(1, options.epochs * 2 / 3),
                               std::max<int64_t>(2, options.epochs * 6 / 7)};
  } else {
    config.model.channels = options.range_channels;
    config.model.smaller = std::max(1.0, options.trained_factor / options.smallest_factor);
    config.model.larger = std::max(1.0, options.largest_factor / options.trained_factor);
  }
  return config;
}

/// Trains one network into its folder.
TrainedNetwork train_network(const DemoOptions& options, const std::string& name, const std::string& model,
                             const DemoProgress& progress) {
  const auto folder = options.out / model;
  const auto given = config_of(options, model);
  auto splits = data::load(given.data);
  splits.validation = data::prefix(splits.validation, std::min(options.validation_size, splits.validation.count()));
  const auto config = train::fit_to_data(given, splits);
  const auto lock = runs::prepare_run_folder(folder, config, /*resume=*/false);
  if (progress.on_run) progress.on_run(folder, config);
  train::TrainCallbacks callbacks;
  if (progress.on_step) callbacks.on_step = [&](const train::StepProgress& step) { progress.on_step(name, step); };
  if (progress.on_epoch) callbacks.on_epoch = [&](const train::EpochRecord& epoch) { progress.on_epoch(name, epoch); };
  const auto result = train::train(config, splits, {folder, false, 30}, callbacks);
  runs::write_result(folder, config, result);

  TrainedNetwork network;
  network.name = name;
  network.run = model;
  network.parameters = models::parameter_count(*result.network);
  network.best_epoch = result.best_epoch;
  network.seconds = result.seconds;
  network.trained_accuracy = 100 * result.test.accuracy;
  return network;
}

/// The trained networks, as read back from their folders, at work on test pictures of all sizes.
class Look {
 public:
  Look(const DemoOptions& options, const data::ImageSet& test, DemoFindings& findings)
      : options_(options), set_(test), findings_(findings) {
    for (size_t n = 0; n < demo_runs().size(); ++n) {
      models_.push_back(runs::load_model(options.out / demo_runs()[n], torch::kCPU));
      const auto& model = models_.back();
      const train::DeviceImages pictures(set_, model.mean, model.deviation, torch::kCPU);
      const double started = now();
      predictions_.push_back(train::predict(*model.network, pictures, kBatch));
      findings_.networks[n].milliseconds = 1000 * (now() - started) / static_cast<double>(set_.count());
      const auto evaluation = train::evaluate(set_, predictions_.back());
      findings_.scales.clear();
      for (const auto& group : evaluation.scales) {
        findings_.scales.push_back({group.name, (group.from + group.to) / 2, group.count});
        findings_.networks[n].accuracy_by_scale.push_back(100 * group.accuracy());
      }
    }
    const auto& first = models_.front();
    findings_.range = first.network->about();
    require(first.calibration.has_value(), (options.out / demo_runs()[0]).string(), ": lacks its scale calibration");
    sizes_ = predictions_.front().sizes * first.calibration->estimate(0);
    const auto errors = (sizes_ / torch::tensor(set_.scales) - 1).abs();
    findings_.typical_size_error = 100 * errors.median().item<double>();
    findings_.size_images = set_.count();
  }

  /// Objects of growing size.
  void find_samples() const {
    files::make_folder(options_.out / "pictures");
    const double low = options_.smallest_factor, high = options_.largest_factor;
    for (size_t k = 0; k < kSamples; ++k) {
      const double wanted = low + (high - low) * (static_cast<double>(k) + 0.5) / kSamples;
      for (int64_t i = static_cast<int64_t>(k); i < set_.count(); ++i)
        if (std::abs(set_.scales[static_cast<size_t>(i)] - wanted) < (high - low) / (2 * kSamples)) {
          findings_.samples.push_back(sample(i));
          break;
        }
    }
  }

  /// On pictures whose object is still whole after the enlargement.
  void measure_errors() const {
    findings_.equivariance_octaves = models_[0].network->scale_step();
    const double largest = options_.largest_factor * std::exp2(-findings_.equivariance_octaves);
    std::vector<int64_t> indices;
    for (size_t i = 0; i < set_.scales.size() && static_cast<int64_t>(indices.size()) < kPicturesForErrors; ++i)
      if (set_.scales[i] <= largest) indices.push_back(static_cast<int64_t>(i));
    if (indices.empty()) indices.push_back(0);
    findings_.equivariance_images = static_cast<int64_t>(indices.size());
    for (size_t n = 0; n < models_.size(); ++n) {
      const train::DeviceImages pictures(set_, models_[n].mean, models_[n].deviation, torch::kCPU);
      for (const auto& layer :
           theory::network_equivariance_error(*models_[n].network, pictures.images(torch::tensor(indices)),
                                              pictures.black(), findings_.equivariance_octaves))
        if (!layer.per_scale.empty()) findings_.networks[n].errors.emplace_back(layer.layer, layer.per_scale);
    }
  }

  const runs::TrainedModel& first_model() const { return models_.front(); }

 private:
  Sample sample(int64_t index) const {
    const auto place = static_cast<size_t>(index);
    const auto picture = canvas_of(set_, index);
    const auto file = format("pictures/%02zu.png", findings_.samples.size() + 1);
    pixels::write_png(options_.out / file, picture);
    Sample sample{picture,
                  file,
                  set_.class_names.at(static_cast<size_t>(set_.labels[place])),
                  set_.scales[place],
                  sizes_[index].item<double>(),
                  {},
                  {}};
    for (const auto& said : predictions_) {
      sample.answers.push_back(set_.class_names.at(static_cast<size_t>(said.labels[index].item<int64_t>())));
      sample.confidence.push_back(100 * said.confidence[index].item<double>());
    }
    return sample;
  }

  const DemoOptions& options_;
  const data::ImageSet& set_;
  DemoFindings& findings_;
  std::vector<runs::TrainedModel> models_;
  std::vector<train::Predictions> predictions_;
  torch::Tensor sizes_;  // that the first network reads
};

/// The first test picture at several sizes.
ScaleStory story_of(const DemoOptions& options, const runs::TrainedModel& model) {
  auto whole = options.data;
  whole.smallest_factor = whole.largest_factor = 1;
  whole.test_size = 1;
  whole.train_size = 1;
  const auto test = data::load(whole).test;
  std::vector<double> factors;
  for (double octaves = -0.5; octaves <= 0.5; octaves += 0.5)
    factors.push_back(options.trained_factor * std::exp2(octaves));
  return tell_scale_story(model, data::picture_of(test, 0), test.labels[0], factors);
}

/// ScDCFNet and the CNN, to be tried by hand.
void write_explorer(const DemoOptions& options) {
  std::vector<runs::TrainedModel> models;
  for (size_t n = 0; n < 2; ++n) models.push_back(runs::load_model(options.out / demo_runs()[n], torch::kCPU));
  const auto pictures = data::load(explore::picture_options(models.front())).test;
  explore::write_page(options.out / kExplorerPage, models, pictures, /*count=*/12, explore::load_runtime());
}

}  // namespace

DemoOptions DemoOptions::standard() {
  DemoOptions options;
  options.data.name = data::find_dataset("fashion", "").empty() ? "sglyphs" : "sfashion";
  options.data.train_size = 2000;
  options.data.test_size = 2000;
  return options;
}

DemoOptions DemoOptions::quick() {
  auto options = standard();
  options.data.train_size = 200;
  options.data.test_size = 200;
  options.validation_size = 100;
  options.epochs = 2;
  options.range_channels = {4, 8, 12};
  options.cnn_channels = {4, 8, 12};
  return options;
}

void run_demo(const DemoOptions& options, const DemoProgress& progress) {
  const double started = now();
  const auto lock = prepare_demo_folder(options.out);
  auto all_sizes = options.data;
  all_sizes.smallest_factor = options.smallest_factor;
  all_sizes.largest_factor = options.largest_factor;
  const auto splits = data::load(all_sizes);
  require(!splits.test.scales.empty(), "data: ", options.data.name,
          " does not know the sizes of its objects, expected sfashion, smnist or sglyphs");
  DemoFindings findings;
  findings.data = options.data.name;
  findings.training_images = splits.train.count();
  findings.validation_images = std::min(options.validation_size, splits.validation.count());
  findings.test_images = splits.test.count();
  findings.image_side = splits.train.width;
  findings.classes = splits.train.class_names.size();
  findings.trained_factor = options.trained_factor;
  findings.smallest_factor = options.smallest_factor;
  findings.largest_factor = options.largest_factor;
  findings.epochs = options.epochs;
  findings.command = options.command;
  for (size_t n = 0; n < names().size(); ++n)
    findings.networks.push_back(train_network(options, names()[n], demo_runs()[n], progress));
  const Look look(options, splits.test, findings);
  look.find_samples();
  look.measure_errors();
  findings.story = story_of(options, look.first_model());
  findings.seconds = now() - started;
  const auto missing = write_demo_page(findings, options.out);
  if (!missing.empty() && progress.say) progress.say(missing);
  if (!explore::find_runtime().empty()) write_explorer(options);
}

}  // namespace scdcf::demo
