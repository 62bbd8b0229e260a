// The joint convolution over space and scale, and its spatially transposed form for decoders.
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

/// What the layer is made of: refuses all but features [N, C, scales, H, W];
void check_features(const at::Tensor& input, const char* name, int64_t scales);
/// [S, H W, K]: what the modes at the centre weigh each pixel of a map of H x W pixels with;
DeviceConstant modes_at_centre(const basis::SampledBasis& sampled, SpatialPadding padding, int64_t height,
                               int64_t width);
/// and at_centre with these, for one scale tap; `bias` may be undefined.
at::Tensor joint_conv_at_centre(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& bias,
                                const at::Tensor& scale_basis, const at::Tensor& centre_modes);

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
