// Batch-norm, ReLU and average pooling as one layer.
#pragma once

#include <torch/nn/cloneable.h>
#include <torch/nn/pimpl.h>

#include "scdcf/nn/options.h"

namespace scdcf::nn {

/// ScaleBatchNorm, ReLU and SpatialAvgPool, computed together: the same function at a fraction of the traffic.
/// [N, C, S, H, W] to [N, C, S, H', W'], or without S. With keeps_zero(true) maps that are zero stay so: what is made
/// of zero is taken off. Zeros beyond the border then continue the maps of a picture on black, as they continue the
/// picture; otherwise objects by the border look unlike those far from it. The state has the names of torch's
/// batch-norm, so a state saved from one loads into the other: weight, bias, running_mean, running_var [C],
/// num_batches_tracked.
///
///   NormReluPool block(NormReluPoolOptions(32).window(2));
class NormReluPoolImpl : public torch::nn::Cloneable<NormReluPoolImpl> {
 public:
  explicit NormReluPoolImpl(NormReluPoolOptions options);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);

  NormReluPoolOptions options;
  torch::Tensor weight, bias, running_mean, running_var, num_batches_tracked;
};
TORCH_MODULE(NormReluPool);

}  // namespace scdcf::nn
