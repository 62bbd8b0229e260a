// One training step of the paper's SMNIST network, whole: forward, loss, backward, Adam.
#pragma once

#include <torch/torch.h>

#include <memory>

#include "scdcf/ops/joint_conv.h"

namespace scdcf::experiments {

/// ScDCFNet for images of `size` x `size` (28 or 56): K = 15, K_alpha = L_alpha = 3, five scales, channels 32/64/96,
/// average pooling, maximum over scale, 256 hidden units, 10 classes. Batch-norm, ReLU and pooling are one layer, or
/// torch's own three where `fused_norm` is false: the same function.
torch::nn::Sequential smnist_network(int64_t size, ops::Algorithm algorithm, bool fused_norm = true);

struct TrainingSetup {
  int64_t size = 28, batch = 128;
  ops::Algorithm algorithm = ops::Algorithm::separable;
  bool fused_norm = true;
  bool autocast = false;  // to bfloat16, on a GPU
};

/// A step on random images and labels, repeated at will. On a GPU it is captured once in a CUDA graph and replayed.
class TrainingStep {
 public:
  TrainingStep(const TrainingSetup& setup, torch::Device device);
  ~TrainingStep();
  void run();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scdcf::experiments
