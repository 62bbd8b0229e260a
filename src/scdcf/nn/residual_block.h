// A pre-activation residual block of joint convolutions.
#pragma once

#include "scdcf/nn/dropout.h"
#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/norm_relu_pool.h"
#include "scdcf/nn/pointwise_conv.h"

namespace scdcf::nn {

/// batch-norm, ReLU, JointConv, batch-norm, ReLU, dropout, JointConv, plus the input; where channels or stride change,
/// the input goes through a PointwiseConv after the first ReLU. [N, C, S, H, W] to [N, O, S, H', W']. With
/// keeps_zero(true) and no biases maps that are zero stay so (nn/norm_relu_pool.h).
class ResidualBlockImpl : public torch::nn::Cloneable<ResidualBlockImpl> {
 public:
  explicit ResidualBlockImpl(ResidualBlockOptions options);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);

  ResidualBlockOptions options;
  NormReluPool norm1{nullptr}, norm2{nullptr};
  JointConv conv1{nullptr}, conv2{nullptr};
  Dropout dropout{nullptr};
  PointwiseConv shortcut{nullptr};
};
TORCH_MODULE(ResidualBlock);

}  // namespace scdcf::nn
