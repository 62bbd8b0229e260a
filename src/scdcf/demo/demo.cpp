#include "scdcf/demo/demo.h"

#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/data/places.h"
#include "scdcf/demo/folder.h"
#include "scdcf/demo/page.h"
#include "scdcf/demo/scale_story.h"
#include "scdcf/models/registry.h"
#include "scdcf/runs/run_folder.h"
#include "scdcf/theory/network_equivariance.h"

namespace scdcf::demo {
namespace {

constexpr int64_t kLookedAt = 400;  // test pictures that samples and sizes are taken from
constexpr size_t kSamples = 8;      // of each kind
constexpr int64_t kPicturesForErrors = 64;

train::RunConfig config_of(const DemoOptions& options, const std::string& model) {
  train::RunConfig config;
  config.model.name = model;
  config.model.channels = model == "cnn" ? options.cnn_channels : options.scdcfnet_channels;
  config.data = options.data;
  config.train.batch = options.batch;
  config.train.epochs = options.epochs;
  // Most of the time at the full rate, then two short stretches that settle.
  config.train.milestones = {std::max<int64_t>(1, options.epochs * 2 / 3),
                             std::max<int64_t>(2, options.epochs * 6 / 7)};
  return config;
}

/// Trains one network into its folder; nothing where it was stopped.
std::optional<TrainedNetwork> train_network(const DemoOptions& options, const std::string& name,
                                            const std::string& model, const data::Splits& splits,
                                            const DemoProgress& progress, DemoFindings& findings) {
  const auto folder = options.out / model;
  const auto config = train::fit_to_data(config_of(options, model), splits);
  const auto lock = runs::prepare_run_folder(folder, config, /*resume=*/false);
  if (progress.on_run) progress.on_run(folder, config);
  train::TrainCallbacks callbacks;
  if (progress.on_step) callbacks.on_step = [&](const train::StepProgress& step) { progress.on_step(name, step); };
  if (progress.on_epoch) callbacks.on_epoch = [&](const train::EpochRecord& epoch) { progress.on_epoch(name, epoch); };
  callbacks.stop = progress.stop;
  const auto result = train::train(config, splits, {folder, false, 30}, callbacks);
  if (!result.finished) return std::nullopt;
  runs::write_result(folder, config, result);

  TrainedNetwork network;
  network.name = name;
  network.run = model;
  network.parameters = models::parameter_count(*result.network);
  network.best_epoch = result.best_epoch;
  network.seconds = result.seconds;
  network.test_accuracy = 100 * result.test.accuracy;
  findings.scales.clear();
  for (const auto& group : result.test.scales) {
    findings.scales.push_back({group.name, (group.from + group.to) / 2, group.count});
    network.accuracy_by_scale.push_back(100 * group.accuracy());
  }
  for (const auto& epoch : result.history) {
    network.training_accuracy.push_back(100 * epoch.train_accuracy);
    network.validation_accuracy.push_back(100 * epoch.validation_accuracy);
  }
  return network;
}

/// The trained networks, as read back from their folders, at work on test pictures.
class Look {
 public:
  Look(const DemoOptions& options, const data::Splits& splits)
      : options_(options),
        set_(data::prefix(splits.test, std::min(kLookedAt, splits.test.count()))),
        pictures_(set_, splits.mean, splits.deviation, torch::kCPU) {
    for (const auto& run : demo_runs()) {
      models_.push_back(runs::load_model(options.out / run, torch::kCPU));
      predictions_.push_back(train::predict(*models_.back().network, pictures_, 100));
    }
    estimate_sizes();
  }

  void find_samples(DemoFindings& findings) const {
    std::filesystem::create_directories(options_.out / "pictures");
    for (int64_t i = 0; i < set_.count() && findings.first_samples.size() < kSamples; ++i)
      findings.first_samples.push_back(sample(i, findings));
    for (auto i = static_cast<int64_t>(kSamples); i < set_.count() && findings.disagreements.size() < kSamples; ++i)
      if (predicted(0, i) != predicted(1, i)) findings.disagreements.push_back(sample(i, findings));
    std::vector<double> errors;
    for (size_t i = 0; i < sizes_.size(); ++i) errors.push_back(std::abs(sizes_[i] / set_.scales[i] - 1));
    std::nth_element(errors.begin(), errors.begin() + errors.size() / 2, errors.end());
    findings.typical_size_error = 100 * errors[errors.size() / 2];
    findings.size_images = set_.count();
  }

  /// On pictures whose object is still whole after the enlargement.
  void measure_errors(DemoFindings& findings) const {
    findings.equivariance_octaves = models_[0].network->scale_step();
    const auto images = pictures_.images(sized(0, std::exp2(-findings.equivariance_octaves), kPicturesForErrors));
    findings.equivariance_images = images.size(0);
    for (size_t n = 0; n < models_.size(); ++n)
      for (const auto& layer : theory::network_equivariance_error(*models_[n].network, images, pictures_.black(),
                                                                  findings.equivariance_octaves))
        findings.networks[n].errors.emplace_back(layer.layer, layer.per_scale);
  }

  void tell_story(DemoFindings& findings) const {
    const auto indices = sized(0.4, 0.6, kPicturesForErrors);
    const auto& model = models_[0];
    findings.story =
        tell_scale_story(*model.network, pictures_.images(indices), pictures_.black(), model.config.model.finest_width);
    const auto first = static_cast<size_t>(indices[0].item<int64_t>());
    findings.story.truth = set_.class_names.at(static_cast<size_t>(set_.labels[first]));
    findings.story.factor = set_.scales[first];
  }

 private:
  int64_t predicted(size_t network, int64_t picture) const {
    return predictions_[network].labels[picture].item<int64_t>();
  }

  void estimate_sizes() {
    const auto& model = models_[0];
    require(model.calibration.has_value(), (options_.out / demo_runs()[0]).string(), ": lacks its scale calibration");
    for (int64_t first = 0; first < set_.count(); first += 100) {
      const auto indices = torch::arange(first, std::min(first + 100, set_.count()), torch::kLong);
      const auto responses = train::scale_response(*model.network, pictures_.images(indices)).to(torch::kDouble);
      for (int64_t i = 0; i < responses.size(0); ++i)
        sizes_.push_back(model.calibration->estimate(responses[i].item<double>()));
    }
  }

  /// The first pictures with a factor between these; where there is none, the first of all.
  torch::Tensor sized(double smallest, double largest, int64_t count) const {
    std::vector<int64_t> indices;
    for (size_t i = 0; i < set_.scales.size() && static_cast<int64_t>(indices.size()) < count; ++i)
      if (set_.scales[i] >= smallest && set_.scales[i] <= largest) indices.push_back(static_cast<int64_t>(i));
    if (indices.empty()) indices.push_back(0);
    return torch::tensor(indices);
  }

  Sample sample(int64_t index, const DemoFindings& findings) const {
    const auto place = static_cast<size_t>(index);
    pixels::Canvas picture(set_.channels, set_.height, set_.width, {0, 0, 0});
    picture.paste(set_.image(index), set_.channels, set_.height, set_.width, 0, 0, 1);
    const auto file = format("pictures/%02zu.png", findings.first_samples.size() + findings.disagreements.size() + 1);
    pixels::write_png(options_.out / file, picture);
    Sample sample{
        picture, file, set_.class_names.at(static_cast<size_t>(set_.labels[place])), set_.scales[place], sizes_[place],
        {},      {}};
    for (size_t n = 0; n < models_.size(); ++n) {
      sample.answers.push_back(set_.class_names.at(static_cast<size_t>(predicted(n, index))));
      sample.confidence.push_back(100 * predictions_[n].confidence[index].item<double>());
    }
    return sample;
  }

  const DemoOptions& options_;
  data::ImageSet set_;
  train::DeviceImages pictures_;
  std::vector<runs::TrainedModel> models_;
  std::vector<train::Predictions> predictions_;
  std::vector<double> sizes_;  // that the first network estimates
};

}  // namespace

DemoOptions DemoOptions::standard() {
  DemoOptions options;
  options.data.name = data::find_dataset("fashion", "").empty() ? "sglyphs" : "sfashion";
  options.data.train_size = 2000;
  options.data.test_size = 4000;
  return options;
}

DemoOptions DemoOptions::quick() {
  auto options = standard();
  options.data.train_size = 200;
  options.data.test_size = 200;
  options.validation_size = 100;
  options.epochs = 2;
  options.scdcfnet_channels = {4, 8, 12};
  options.cnn_channels = {4, 8, 12};
  return options;
}

bool run_demo(const DemoOptions& options, const DemoProgress& progress) {
  const auto started = std::chrono::steady_clock::now();
  const auto lock = prepare_demo_folder(options.out);
  auto splits = data::load(options.data);
  require(!splits.test.scales.empty(), "data: ", options.data.name,
          " does not know the sizes of its objects, expected sfashion, smnist or sglyphs");
  splits.validation = data::prefix(splits.validation, std::min(options.validation_size, splits.validation.count()));
  DemoFindings findings;
  findings.data = options.data.name;
  findings.training_images = splits.train.count();
  findings.validation_images = splits.validation.count();
  findings.test_images = splits.test.count();
  findings.image_side = splits.train.width;
  findings.classes = splits.train.class_names.size();
  findings.smallest_factor = options.data.smallest_factor;
  findings.largest_factor = options.data.largest_factor;
  findings.epochs = options.epochs;
  findings.command = options.command;
  for (const auto& [name, model] : {std::pair("ScDCFNet", demo_runs()[0]), std::pair("CNN", demo_runs()[1])}) {
    auto network = train_network(options, name, model, splits, progress, findings);
    if (!network) return false;
    findings.networks.push_back(std::move(*network));
  }
  const Look look(options, splits);
  look.find_samples(findings);
  look.measure_errors(findings);
  look.tell_story(findings);
  findings.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  const auto missing = write_demo_page(findings, options.out);
  if (!missing.empty() && progress.say) progress.say(missing);
  return true;
}

}  // namespace scdcf::demo
