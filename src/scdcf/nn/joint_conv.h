// The joint convolution over space and scale, and its spatially transposed form for decoders.
#pragma once

#include "scdcf/nn/expanded_conv.h"

namespace scdcf::nn {

/// eq. (lth-layer), truncated as eq. (lth-layer-truncated), without the nonlinearity. With one scale tap it is the
/// multi-scale spatial convolution of Remark 1, eq. (special_case). [N, C, S, H, W] to [N, O, S, H', W'].
class JointConvImpl : public ExpandedConv<JointConvImpl, JointConvOptions> {
 public:
  using ExpandedConv::ExpandedConv;
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);
};
TORCH_MODULE(JointConv);

/// The same filters as a transposed convolution in space: the map grows by the stride, [N, C, S, H, W] to
/// [N, O, S, stride*H, stride*W]. Filter widths are measured in output pixels. Only zero padding in space.
class JointConvTransposeImpl : public ExpandedConv<JointConvTransposeImpl, JointConvOptions> {
 public:
  using ExpandedConv::ExpandedConv;
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);
};
TORCH_MODULE(JointConvTranspose);

}  // namespace scdcf::nn
