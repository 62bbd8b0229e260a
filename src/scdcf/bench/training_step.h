// One training step of the paper's SMNIST network, whole: forward, loss, backward, Adam; and its convolutions alone.
#pragma once

#include <torch/torch.h>

#include <memory>

#include "scdcf/models/network.h"

namespace scdcf::bench {

/// How the network is built and trained: ScDCFNet of the registry for images of 28x28 or 56x56 pixels, with filters of
/// 5..10 or 10..20 pixels.
struct TrainingSetup {
  int64_t size = 28, batch = 128;
  bool separable = true;   // else the filters are composed
  bool fused_norm = true;  // else batch-norm, ReLU and pooling are torch's own three layers: the same function
  bool autocast = false;   // to bfloat16, on a GPU
};

std::shared_ptr<models::Network> training_network(const TrainingSetup& setup);

/// A step on random images and labels, repeated at will; on a GPU through a CUDA graph.
class TrainingStep {
 public:
  TrainingStep(const TrainingSetup& setup, torch::Device device);
  ~TrainingStep();
  void run();
  /// Forward and backward of the three convolutions on maps of the same shapes and nothing else: what is left of the
  /// step's time is batch-norm, ReLU, pooling, the head, the loss and the update. For separable convolutions only,
  /// whose maps have the same layout here and in the network.
  void run_convolutions();
  /// The matrix products of these convolutions and nothing else, through the BLAS in use: BenchLayer::floor.
  void run_products();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scdcf::bench
