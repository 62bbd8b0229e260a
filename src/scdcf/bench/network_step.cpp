#include "scdcf/bench/network_step.h"

#include <torch/torch.h>

#include "scdcf/models/registry.h"
#include "scdcf/train/step.h"

#ifdef SCDCF_WITH_CUDA
#  include <c10/cuda/CUDACachingAllocator.h>
#endif

namespace scdcf::bench {
namespace {

constexpr int kClasses = 10;

models::ModelOptions model_options(const NetworkCase& network_case) {
  models::ModelOptions options;
  options.name = network_case.name;
  options.image_size = network_case.size();
  options.in_channels = network_case.pictures ? 3 : 1;
  options.classes = kClasses;
  return options;
}

train::TrainOptions train_options(const NetworkCase& network_case, c10::Device device) {
  train::TrainOptions options;
  if (network_case.pictures) options.optimizer = "sgd";
  options.batch = network_case.batch;
  options.precision = device.is_cuda() ? "tf32" : "float32";
  return options;
}

/// One batch of noise.
data::ImageSet random_images(const NetworkCase& network_case) {
  data::ImageSet set;
  set.channels = network_case.pictures ? 3 : 1;
  set.height = set.width = static_cast<int>(network_case.size());
  const auto pixels = torch::randint(256, {network_case.batch * set.image_bytes()}, torch::kByte);
  set.pixels.assign(pixels.data_ptr<uint8_t>(), pixels.data_ptr<uint8_t>() + pixels.numel());
  for (int64_t i = 0; i < network_case.batch; ++i) set.labels.push_back(static_cast<int32_t>(i % kClasses));
  return set;
}

}  // namespace

struct NetworkStep::State {
  std::shared_ptr<models::Network> network;
  train::DeviceImages images;
  train::Optimizer optimizer;
  train::Step step;
  torch::Tensor indices;

  State(std::shared_ptr<models::Network> on_device, const NetworkCase& network_case, c10::Device device)
      : network(std::move(on_device)),
        images(random_images(network_case), std::vector<double>(network_case.pictures ? 3 : 1, 0.5),
               std::vector<double>(network_case.pictures ? 3 : 1, 0.25), device),
        optimizer(*network, train_options(network_case, device)),
        step(*network, optimizer, images, train_options(network_case, device)),
        indices(torch::arange(network_case.batch, torch::TensorOptions(torch::kLong).device(device))) {}
};

NetworkStep::NetworkStep(const NetworkCase& network_case, c10::Device device) {
  train::apply_precision(train_options(network_case, device), device);
  auto network = models::make_model(model_options(network_case));
  network->to(device);
  state_ = std::make_unique<State>(std::move(network), network_case, device);
}

NetworkStep::~NetworkStep() = default;

void NetworkStep::run() { state_->step.run(state_->indices, {}, /*dropout_seed=*/0); }

int64_t NetworkStep::parameters() const { return models::parameter_count(*state_->network); }

void release_kept_memory(c10::Device device) {
#ifdef SCDCF_WITH_CUDA
  if (device.is_cuda()) c10::cuda::CUDACachingAllocator::emptyCache();
#endif
  (void)device;
}

}  // namespace scdcf::bench
