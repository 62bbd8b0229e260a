// The three convolutions of the paper's SMNIST network without the rest of it: what is left of a training step's time
// is batch-norm, ReLU, pooling, the head, the loss and the update.
#pragma once

#include <vector>

#include "scdcf/bench/layer_variants.h"
#include "scdcf/train/replay.h"

namespace scdcf::bench {

/// On maps of the same shapes and layout as in the network with separable filters for images of 28 or 56 pixels.
class ConvolutionsAlone {
 public:
  ConvolutionsAlone(int64_t size, int64_t batch, bool autocast, torch::Device device);
  /// Forward and backward.
  void run() { convolutions_.run(); }
  /// The matrix products of these and nothing else, through the BLAS in use: BenchLayer::floor.
  void run_products() { products_.run(); }

 private:
  std::vector<BenchLayer> layers_;
  train::Replay convolutions_, products_;
};

}  // namespace scdcf::bench
