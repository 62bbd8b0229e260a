#include "scdcf/runs/measures.h"

#include <torch/torch.h>

#include <numeric>

#include "scdcf/bench/measure.h"
#include "scdcf/bench/training_step.h"
#include "scdcf/core/error.h"
#include "scdcf/models/operation_count.h"
#include "scdcf/models/registry.h"
#include "scdcf/theory/deformation.h"
#include "scdcf/theory/equivariance.h"
#include "scdcf/train/stream_scope.h"
#include "scdcf/train/trainer.h"

namespace scdcf::runs {
namespace {

constexpr int64_t kMeasureBatch = 500;

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The images of a set in order, moved by D_tau where tau is given; a field of its own for every batch.
class DeformedImages {
 public:
  DeformedImages(const train::DeviceImages& images, double gradient) : images_(images), gradient_(gradient) {}

  torch::Tensor batch(int64_t first, int64_t most) const {
    const auto images = images_.images(images_.range(first, most));
    if (gradient_ == 0) return images;
    // Waves of half the picture: strokes bend, they do not crumple.
    const auto tau = theory::random_deformation(images.size(2), images.size(3), gradient_,
                                                static_cast<uint64_t>(first) + 1, 0.5 * images.size(3));
    return theory::deform(images - images_.black(), tau) + images_.black();
  }

  double accuracy(models::Network& network) const {
    int64_t correct = 0;
    for (int64_t first = 0; first < images_.count(); first += kMeasureBatch) {
      const auto labels = images_.labels(images_.range(first, kMeasureBatch));
      correct += network.forward(batch(first, kMeasureBatch)).argmax(1).eq(labels).sum().item<int64_t>();
    }
    return static_cast<double>(correct) / static_cast<double>(images_.count());
  }

  /// ||x[D_g D_tau x] - T_g x[x]|| / ||T_g x[x]|| of the last features.
  double equivariance_error(models::Network& network) const {
    constexpr int64_t kImages = 64;
    const double own_step = network.scale_step(), step = own_step > 0 ? own_step : 0.25;
    const theory::GroupElement g{step, 0, 0};
    const auto original = DeformedImages(images_, 0).batch(0, kImages);
    const auto moved = theory::act_on_image(batch(0, kImages) - images_.black(), g) + images_.black();
    const auto of_original = network.features(original), of_moved = network.features(moved);
    require(!of_original.empty(), "deformation: the network does not tell its features");
    return mean_of(
        theory::layer_equivariance_error(of_moved.back().maps, of_original.back().maps, g, original.size(3), step));
  }

 private:
  const train::DeviceImages& images_;
  double gradient_;
};

}  // namespace

nlohmann::ordered_json scales_of(const train::Evaluation& evaluation) {
  auto bins = nlohmann::ordered_json::array();
  for (const auto& group : evaluation.scales)
    bins.push_back({{"from", group.from}, {"to", group.to}, {"count", group.count}, {"accuracy", group.accuracy()}});
  return {{"scales", bins}};
}

nlohmann::ordered_json measure_scales(models::Network& network, const data::ImageSet& test,
                                      const data::Splits& trained_on, const train::TrainOptions& options) {
  const auto device = train::device_of(options);
  const train::StreamScope stream(device);
  const train::DeviceImages images(test, trained_on.mean, trained_on.deviation, device);
  return scales_of(
      train::evaluate(test, train::predict(network, images, kMeasureBatch, options.precision == "bfloat16")));
}

nlohmann::ordered_json measure_deformation(models::Network& network, const data::Splits& splits,
                                           const train::TrainOptions& options) {
  const torch::NoGradGuard no_grad;
  const auto device = train::device_of(options);
  const train::StreamScope stream(device);
  const train::DeviceImages images(splits.test, splits.mean, splits.deviation, device);
  network.eval();
  auto levels = nlohmann::ordered_json::array();
  for (const double gradient : {0.0, 0.1, 0.2, 0.3, 0.5, 0.7}) {
    const DeformedImages deformed(images, gradient);
    levels.push_back({{"gradient", gradient},
                      {"accuracy", deformed.accuracy(network)},
                      {"error", deformed.equivariance_error(network)}});
  }
  return {{"levels", levels}};
}

nlohmann::ordered_json measure_cost(const train::RunConfig& config) {
  constexpr double kSecondsPerTiming = 1.5;
  const auto device = train::device_of(config.train);
  bench::TrainingSetup setup{config.model, config.train};
  setup.model.image_size = config.data.size;
  setup.train.batch = device.is_cuda() ? 128 : 32;
  const auto multiply_adds = models::count_multiply_adds(
      *models::make_model(setup.model),
      torch::zeros({1, setup.model.in_channels, setup.model.image_size, setup.model.image_size}));
  const train::StreamScope stream(device);
  bench::TrainingStep step(setup, device);
  auto& network = step.network();
  const auto pixels = step.images().images(step.indices());
  const auto infer = [&] {
    const torch::NoGradGuard no_grad;
    network.eval();
    network.forward(pixels);
  };
  const double inference_ms = bench::median_ms({infer}, device, kSecondsPerTiming).front();
  network.train();
  const auto train = [&] { step.run(); };
  const double bytes = bench::peak_extra_bytes(train, device);
  const double training_ms = bench::median_ms({train}, device, kSecondsPerTiming).front();
  const auto images = static_cast<double>(setup.train.batch);
  return {{"parameters", models::parameter_count(network)},
          {"multiply_adds", multiply_adds},
          {"inference_ms", inference_ms / images},
          {"training_ms", training_ms / images},
          {"training_bytes", bytes / images},
          {"batch", setup.train.batch}};
}

}  // namespace scdcf::runs
