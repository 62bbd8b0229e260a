#include "scdcf/experiments/training_step.h"

#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"
#include "scdcf/nn/norm_relu_pool.h"
#include "scdcf/nn/pooling.h"

#ifdef SCDCF_WITH_CUDA
#  include <ATen/autocast_mode.h>
#  include <ATen/cuda/CUDAGraph.h>
#  include <ATen/ops/_fused_adam.h>
#  include <c10/cuda/CUDAFunctions.h>
#  include <c10/cuda/CUDAGuard.h>
#  include <c10/cuda/CUDAStream.h>
#endif

namespace scdcf::experiments {

torch::nn::Sequential smnist_network(int64_t size, ops::Algorithm algorithm, bool fused_norm) {
  const ScaleGrid grid(5, 0.25, size >= 56 ? 10.0 : 5.0);
  torch::nn::Sequential network;
  const auto norm_relu_pool = [&](int64_t channels, int64_t window, int64_t padding) {
    if (fused_norm) {
      network->push_back(nn::NormReluPool(nn::NormReluPoolOptions(channels).window(window).padding(padding)));
      return;
    }
    network->push_back(nn::ScaleBatchNorm(channels));
    network->push_back(torch::nn::ReLU());
    network->push_back(nn::SpatialAvgPool(nn::SpatialPoolOptions(window).padding(padding)));
  };
  const auto joint = [&](int64_t in, int64_t out) {
    return nn::JointConv(nn::JointConvOptions(in, out, grid).bias(false).algorithm(algorithm));
  };
  network->push_back(nn::LiftingConv(nn::LiftingConvOptions(1, 32, grid).bias(false).algorithm(algorithm)));
  norm_relu_pool(32, 2, 0);
  network->push_back(joint(32, 64));
  norm_relu_pool(64, 2, 0);
  network->push_back(joint(64, 96));
  norm_relu_pool(96, size >= 56 ? 8 : 4, 2);  // leaves 2 x 2
  const torch::nn::Sequential head(nn::ScaleMaxProjection(), torch::nn::Flatten(),
                                   torch::nn::Linear(torch::nn::LinearOptions(96 * 4, 256).bias(false)),
                                   torch::nn::BatchNorm1d(256), torch::nn::ReLU(), torch::nn::Dropout(0.7),
                                   torch::nn::Linear(256, 10));
  network->extend(*head);
  return network;
}

struct TrainingStep::State {
  torch::nn::Sequential network{nullptr};
  torch::Tensor images, labels;
  bool autocast = false;
  std::unique_ptr<torch::optim::Adam> optimizer;  // on the CPU
#ifdef SCDCF_WITH_CUDA
  at::cuda::CUDAGraph graph;
  std::vector<torch::Tensor> parameters, first_moments, second_moments, steps;
#endif

  torch::Tensor loss() {
#ifdef SCDCF_WITH_CUDA
    if (autocast) {
      at::autocast::set_autocast_enabled(at::kCUDA, true);
      at::autocast::set_autocast_dtype(at::kCUDA, at::kBFloat16);
    }
#endif
    const auto logits = network->forward(images).to(torch::kFloat);
#ifdef SCDCF_WITH_CUDA
    if (autocast) {
      at::autocast::clear_cache();
      at::autocast::set_autocast_enabled(at::kCUDA, false);
    }
#endif
    return torch::nn::functional::cross_entropy(logits, labels);
  }

#ifdef SCDCF_WITH_CUDA
  /// Everything on the device, nothing that asks the host: capturable.
  void device_step() {
    auto gradients = torch::autograd::grad({loss()}, {parameters.begin(), parameters.end()});
    for (auto& gradient : gradients) gradient = gradient.contiguous();  // the fused update wants the parameters' layout
    const torch::NoGradGuard no_grad;
    at::_foreach_add_(steps, 1);
    at::_fused_adam_(parameters, gradients, first_moments, second_moments, {}, steps, 0.01, 0.9, 0.999, 1e-4, 1e-8,
                     false, false);
  }

  void capture() {
    parameters = network->parameters();
    for (const auto& parameter : parameters) {
      first_moments.push_back(torch::zeros_like(parameter));
      second_moments.push_back(torch::zeros_like(parameter));
      steps.push_back(torch::zeros({}, parameter.options().dtype(torch::kFloat)));
    }
    const auto stream = c10::cuda::getStreamFromPool();
    const c10::cuda::CUDAStreamGuard guard(stream);
    for (int i = 0; i < 3; ++i)
      device_step();  // caches, autotuners and shared-memory limits settle outside the capture
    c10::cuda::device_synchronize();
    graph.capture_begin();
    device_step();
    graph.capture_end();
    c10::cuda::device_synchronize();
  }
#endif
};

TrainingStep::TrainingStep(const TrainingSetup& setup, torch::Device device) : state_(std::make_unique<State>()) {
  state_->network = smnist_network(setup.size, setup.algorithm, setup.fused_norm);
  state_->network->to(device);
  state_->images = torch::rand({setup.batch, 1, setup.size, setup.size}, device);
  state_->labels = torch::randint(10, {setup.batch}, torch::TensorOptions(torch::kLong).device(device));
  state_->autocast = setup.autocast;
#ifdef SCDCF_WITH_CUDA
  if (device.is_cuda()) {
    state_->capture();
    return;
  }
#endif
  state_->optimizer = std::make_unique<torch::optim::Adam>(state_->network->parameters(),
                                                           torch::optim::AdamOptions(0.01).weight_decay(1e-4));
}

TrainingStep::~TrainingStep() = default;

void TrainingStep::run() {
#ifdef SCDCF_WITH_CUDA
  if (state_->images.is_cuda()) {
    state_->graph.replay();
    return;
  }
#endif
  state_->optimizer->zero_grad();
  state_->loss().backward();
  state_->optimizer->step();
}

}  // namespace scdcf::experiments
