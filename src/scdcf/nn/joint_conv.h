// The joint convolution over space and scale.
#pragma once

#include <vector>

#include "scdcf/nn/expanded_conv.h"

namespace scdcf::nn {

/// eq. (lth-layer), truncated as eq. (lth-layer-truncated), without the nonlinearity. With one scale tap it is the
/// multi-scale spatial convolution of Remark 1, eq. (special_case). [N, C, S, H, W] to [N, O, S, H', W'].
class JointConvImpl : public ExpandedConv<JointConvImpl, JointConvOptions> {
 public:
  using ExpandedConv::ExpandedConv;
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);
  /// centre_of(forward(input)), [N, C, S, H, W] to [N, O, S], without convolving everywhere: what the filters see of
  /// each plane's map from its centre is projected onto the K modes, and the projections are mixed by one product. With
  /// one scale tap and stride 1.
  torch::Tensor at_centre(const torch::Tensor& input);
};
TORCH_MODULE(JointConv);

/// Refuses all but layers with one scale tap that keep the centre of a map.
void check_at_centre(int64_t scale_taps, int64_t stride, SpatialPadding padding);
/// at_centre for one scale tap, with the filters [K, L_s, L_s] of every scale; `bias` may be undefined.
at::Tensor joint_conv_at_centre(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& bias,
                                const at::Tensor& scale_basis, const std::vector<at::Tensor>& filters,
                                SpatialPadding padding);

}  // namespace scdcf::nn
