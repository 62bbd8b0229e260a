// A 1x1 joint convolution: mixes channels, and scales where it has more than one tap.
#pragma once

#include <torch/nn/cloneable.h>
#include <torch/nn/pimpl.h>

#include "scdcf/basis/scale_basis.h"
#include "scdcf/nn/options.h"
#include "scdcf/ops/constant.h"

namespace scdcf::nn {

/// eq. (lth-layer) with a filter of one pixel: [N, C, S, H, W] to [N, O, S, H', W'], any number of scales. A stride of
/// 2 keeps every second pixel, the first included, as the strided JointConv does.
/// Parameters: coefficients [O, C, K_alpha], bias [O].
class PointwiseConvImpl : public torch::nn::Cloneable<PointwiseConvImpl> {
 public:
  explicit PointwiseConvImpl(PointwiseConvOptions options);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);

  PointwiseConvOptions options;
  torch::Tensor coefficients, bias;

 private:
  ops::Constant scale_basis_;  // phi_m on the taps, [K_alpha, L_alpha]
};
TORCH_MODULE(PointwiseConv);

/// What the layer is made of: its basis in scale, the deviation of its first coefficients, and what it computes with
/// `scale_basis` phi [K_alpha, L_alpha] as a tensor; `bias` may be undefined.
basis::ScaleBasis scale_basis_of(const PointwiseConvOptions& options);
double initial_deviation(const basis::ScaleBasis& basis, int64_t in_channels);
at::Tensor pointwise_conv(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& bias,
                          const at::Tensor& scale_basis, int64_t stride, ScaleSupport support, ScalePadding padding);

}  // namespace scdcf::nn
