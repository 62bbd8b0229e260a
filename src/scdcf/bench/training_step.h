// The trainer's own step on a network, repeated on noise: for timing.
#pragma once

#include <memory>

#include "scdcf/models/network.h"
#include "scdcf/models/options.h"
#include "scdcf/train/step.h"

namespace scdcf::bench {

/// Which network, trained how: of `train` the optimizer, the precision and the batch matter.
struct TrainingSetup {
  models::ModelOptions model;
  train::TrainOptions train;
  /// Else batch-norm, ReLU and pooling are torch's own three layers: the same function. For scdcfnet alone.
  bool fused_norm = true;
};

/// train::Step on one batch of noise.
class TrainingStep {
 public:
  TrainingStep(const TrainingSetup& setup, torch::Device device);
  void run() { step_.run(indices_, {}, ++seed_); }

  models::Network& network() const { return *network_; }
  const train::DeviceImages& images() const { return images_; }
  /// Of every image: 0, 1, 2, ...
  const torch::Tensor& indices() const { return indices_; }

 private:
  std::shared_ptr<models::Network> network_;
  train::DeviceImages images_;
  torch::Tensor indices_;
  train::Optimizer optimizer_;
  train::Step step_;
  uint64_t seed_ = 0;
};

}  // namespace scdcf::bench
