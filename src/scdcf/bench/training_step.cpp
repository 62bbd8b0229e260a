#include "scdcf/bench/training_step.h"

#include "scdcf/bench/layer_variants.h"
#include "scdcf/core/error.h"
#include "scdcf/models/registry.h"
#include "scdcf/nn/norm_relu_pool.h"
#include "scdcf/nn/pooling.h"
#include "scdcf/train/autocast_scope.h"
#include "scdcf/train/replay.h"

#ifdef SCDCF_WITH_CUDA
#  include <ATen/ops/_fused_adam.h>
#endif

namespace scdcf::bench {
namespace {

/// The same network with torch's layers in place of each fused one.
class WithTorchsLayers : public models::Network {
 public:
  explicit WithTorchsLayers(const models::Network& network) {
    for (const auto& child : network.named_children()) {
      const auto* sequence = child.value()->as<torch::nn::Sequential>();
      require(sequence != nullptr, "training step: ", child.key(), ": got a module that is no sequence of layers");
      if (child.key() == "head") layers_->push_back(nn::ScaleMaxProjection()), layers_->push_back(torch::nn::Flatten());
      for (const torch::nn::AnyModule& layer : *sequence) {
        const auto* fused = layer.ptr()->as<nn::NormReluPoolImpl>();
        if (fused == nullptr) {
          layers_->push_back(layer);
          continue;
        }
        const auto& options = fused->options;
        layers_->push_back(nn::ScaleBatchNorm(options.channels()));
        layers_->push_back(torch::nn::ReLU());
        layers_->push_back(nn::SpatialAvgPool(nn::SpatialPoolOptions(options.window()).padding(options.padding())));
      }
    }
    register_module("layers", layers_);
  }
  torch::Tensor forward(const torch::Tensor& images) override { return layers_->forward(images); }

 private:
  torch::nn::Sequential layers_;
};

}  // namespace

std::shared_ptr<models::Network> training_network(const TrainingSetup& setup) {
  models::ModelOptions options;
  options.image_size = setup.size;
  options.finest_width = setup.size >= 56 ? 10 : 5;
  options.algorithm = setup.separable ? "separable" : "composed";
  auto network = models::make_model(options);
  if (setup.fused_norm) return network;
  return std::make_shared<WithTorchsLayers>(*network);
}

struct TrainingStep::State {
  std::shared_ptr<models::Network> network;
  torch::Tensor images, labels;
  bool autocast = false;
  std::unique_ptr<torch::optim::Adam> optimizer;  // on the CPU
  std::vector<torch::Tensor> parameters, first_moments, second_moments, steps;
  std::vector<BenchLayer> layers;
  std::unique_ptr<train::Replay> step, convolutions, products;

  torch::Tensor loss() {
    torch::Tensor scores;
    {
      const train::AutocastScope scope(autocast);
      scores = network->forward(images);
    }
    return torch::nn::functional::cross_entropy(scores.to(torch::kFloat), labels);
  }

  void train() {
#ifdef SCDCF_WITH_CUDA
    if (images.is_cuda()) return train_on_device();
#endif
    optimizer->zero_grad();
    loss().backward();
    optimizer->step();
  }

#ifdef SCDCF_WITH_CUDA
  void train_on_device() {
    auto gradients = torch::autograd::grad({loss()}, {parameters.begin(), parameters.end()});
    for (auto& gradient : gradients) gradient = gradient.contiguous();  // the fused update wants the parameters' layout
    const torch::NoGradGuard no_grad;
    at::_foreach_add_(steps, 1);
    at::_fused_adam_(parameters, gradients, first_moments, second_moments, {}, steps, 0.01, 0.9, 0.999, 1e-4, 1e-8,
                     false, false);
  }
#endif

  void prepare_optimizer(torch::Device device) {
    parameters = network->parameters();
    if (device.is_cpu()) {
      optimizer = std::make_unique<torch::optim::Adam>(parameters, torch::optim::AdamOptions(0.01).weight_decay(1e-4));
      return;
    }
    for (const auto& parameter : parameters) {
      first_moments.push_back(torch::zeros_like(parameter));
      second_moments.push_back(torch::zeros_like(parameter));
      steps.push_back(torch::zeros({}, parameter.options().dtype(torch::kFloat)));
    }
  }

  void convolve() {
    const train::AutocastScope scope(autocast);
    for (auto& layer : layers) layer.step(Variant::separable, true);
  }
};

TrainingStep::TrainingStep(const TrainingSetup& setup, torch::Device device) : state_(std::make_unique<State>()) {
  auto& state = *state_;
  state.network = training_network(setup);
  state.network->to(device);
  state.images = torch::rand({setup.batch, 1, setup.size, setup.size}, device);
  state.labels = torch::randint(10, {setup.batch}, torch::TensorOptions(torch::kLong).device(device));
  state.autocast = setup.autocast;
  state.prepare_optimizer(device);
  state.step = std::make_unique<train::Replay>([&state] { state.train(); }, device);
  if (!setup.separable) return;
  for (const auto& bench_case : layer_cases(setup.batch))
    if (bench_case.group == "smnist" + std::to_string(setup.size))
      state.layers.emplace_back(bench_case, device, setup.autocast ? torch::kBFloat16 : torch::kFloat);
  state.convolutions = std::make_unique<train::Replay>([&state] { state.convolve(); }, device);
  state.products = std::make_unique<train::Replay>(
      [&state] {
        for (auto& layer : state.layers) layer.floor(true);
      },
      device);
}

TrainingStep::~TrainingStep() = default;

void TrainingStep::run() { state_->step->run(); }

void TrainingStep::run_convolutions() {
  require(state_->convolutions != nullptr, "training step: convolutions alone: got a composed network, expected a ",
          "separable one");
  state_->convolutions->run();
}

void TrainingStep::run_products() {
  require(state_->products != nullptr, "training step: products alone: got a composed network, expected a ",
          "separable one");
  state_->products->run();
}

}  // namespace scdcf::bench
