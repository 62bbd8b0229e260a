#include "scdcf/bench/training_step.h"

#include <torch/torch.h>

#include <random>

#include "scdcf/core/error.h"
#include "scdcf/data/image_set.h"
#include "scdcf/models/registry.h"
#include "scdcf/nn/norm_relu_pool.h"
#include "scdcf/nn/pooling.h"

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

/// Noise with labels in turn: what a network costs does not depend on what it sees.
data::ImageSet noise_images(const models::ModelOptions& model, int64_t count) {
  data::ImageSet set;
  set.channels = static_cast<int>(model.in_channels);
  set.height = set.width = static_cast<int>(model.image_size);
  set.pixels.resize(static_cast<size_t>(count * set.image_bytes()));
  std::minstd_rand random(1);
  for (auto& pixel : set.pixels) pixel = static_cast<uint8_t>(random() >> 8);
  for (int64_t i = 0; i < count; ++i) set.labels.push_back(static_cast<int32_t>(i % model.classes));
  return set;
}

std::shared_ptr<models::Network> network_on(torch::Device device, const TrainingSetup& setup) {
  train::apply_precision(setup.train, device);
  auto network = models::make_model(setup.model);
  if (!setup.fused_norm) network = std::make_shared<WithTorchsLayers>(*network);
  network->to(device);
  return network;
}

}  // namespace

TrainingStep::TrainingStep(const TrainingSetup& setup, torch::Device device)
    : network_(network_on(device, setup)),
      images_(noise_images(setup.model, setup.train.batch), {0.5}, {0.25}, device),
      indices_(images_.range(0, images_.count())),
      optimizer_(*network_, setup.train),
      step_(*network_, optimizer_, images_, setup.train) {}

}  // namespace scdcf::bench
