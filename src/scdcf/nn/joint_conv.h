// The joint convolution over space and scale.
#pragma once

#include <utility>

#include "scdcf/nn/device_constant.h"
#include "scdcf/nn/expanded_conv.h"

namespace scdcf::nn {

/// eq. (lth-layer), truncated as eq. (lth-layer-truncated), without the nonlinearity. With one scale tap it is the
/// multi-scale spatial convolution of Remark 1, eq. (special_case). [N, C, S, H, W] to [N, O, S, H', W'].
class JointConvImpl : public ExpandedConv<JointConvImpl, JointConvOptions> {
 public:
  using ExpandedConv::ExpandedConv;
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);
  /// centre_of(forward(input)), [N, C, S, H, W] to [N, O, S], without convolving everywhere: each plane's map is
  /// projected onto the K modes at the centre, and the projections are mixed by one product. With one scale tap and
  /// stride 1.
  torch::Tensor at_centre(const torch::Tensor& input);

 private:
  const DeviceConstant& centre_modes(int64_t height, int64_t width) const;
  mutable CachedConstants<std::pair<int64_t, int64_t>> centre_modes_;
};
TORCH_MODULE(JointConv);

/// [S, H W, K]: the weights of the pixels of an H x W map in the projections onto the modes at its centre;
DeviceConstant modes_at_centre(const basis::SampledBasis& sampled, SpatialPadding padding, int64_t height,
                               int64_t width);
/// and at_centre with these, for one scale tap; `bias` may be undefined.
at::Tensor joint_conv_at_centre(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& bias,
                                const at::Tensor& scale_basis, const at::Tensor& centre_modes);

}  // namespace scdcf::nn
