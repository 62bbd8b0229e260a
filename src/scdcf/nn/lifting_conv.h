// The first layer of a scaling-translation-equivariant network.
#pragma once

#include "scdcf/nn/expanded_conv.h"

namespace scdcf::nn {

/// eq. (1st-layer) without the nonlinearity: an image [N, C, H, W] to features [N, O, S, H', W'], where scale s is the
/// response to filters width(s) pixels wide. Coefficients [O, C, 1, K].
class LiftingConvImpl : public ExpandedConv<LiftingConvImpl, LiftingConvOptions> {
 public:
  using ExpandedConv::ExpandedConv;
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);
};
TORCH_MODULE(LiftingConv);

}  // namespace scdcf::nn
