// Zeros beyond the border go on as the ground of a picture on black does. Its maps they continue only where black stays
// zero: batch-norm and ReLU make another value of it, and objects by the border would look unlike those far from it.
#pragma once

#include <torch/types.h>

#include "scdcf/nn/norm_relu_pool.h"

namespace scdcf::models {

/// Keeps black at zero from block to block, for the pictures of one call.
class BlackGround {
 public:
  /// kept: whether to; if not, all below changes nothing.
  BlackGround(bool kept, const torch::Tensor& frames, bool training);

  /// What the first block sees: the frames, and in training one that is black behind them. It tells what black becomes
  /// by the statistics of the batch, and has its part in them.
  const torch::Tensor& frames() const { return frames_; }
  /// Maps [M, C, ..., H, W] that a block has ended in, less what it makes of black.
  torch::Tensor removed(const torch::Tensor& maps, const nn::NormReluPoolImpl& end) const;
  /// The maps of the frames that were given.
  torch::Tensor of_pictures(const torch::Tensor& maps) const { return maps.narrow(0, 0, count_); }

 private:
  bool kept_, training_;
  int64_t count_;
  torch::Tensor frames_;
};

}  // namespace scdcf::models
