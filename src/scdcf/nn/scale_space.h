// Deep scale-spaces, Worrall and Welling 2019: images lifted by blurring, kernels dilated instead of enlarged.
#pragma once

#include <torch/nn/cloneable.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/pimpl.h>

#include <vector>

#include "scdcf/nn/options.h"
#include "scdcf/ops/constant.h"

namespace scdcf::nn {

/// Lindeberg's discrete Gaussian e^-t I_n(t), n = -radius .. radius, I_n the modified Bessel functions: blurs of
/// variance t and t' follow each other exactly as one of t + t'.
std::vector<double> discrete_gaussian(double variance, int64_t radius);

/// An image [N, C, H, W] to its scale-space [N, C, S, H, W]: level k is blurred to the variance s0^2 (4^k - 1), as if
/// the image, itself blurred by s0 pixels, had been shrunk by 2^k. Zero beyond the border.
class ScaleSpaceLiftingImpl : public torch::nn::Cloneable<ScaleSpaceLiftingImpl> {
 public:
  explicit ScaleSpaceLiftingImpl(int levels, double s0 = 0.25);
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& images);

  int levels;
  double s0;

 private:
  std::vector<ops::Constant> blurs_;  // of the levels from 1 on
};
TORCH_MODULE(ScaleSpaceLifting);

class DilatedScaleConvOptions : public ChannelOptions<DilatedScaleConvOptions> {
  using Self = DilatedScaleConvOptions;

 public:
  DilatedScaleConvOptions(int64_t in_channels, int64_t out_channels) : ChannelOptions(in_channels, out_channels) {
    bias(false);
  }

  SCDCF_OPTION(int64_t, kernel_size, 7);  // odd
  SCDCF_OPTION(int64_t, scale_taps, 1);
};

/// The scale correlation on a scale-space, [N, C, S, H, W] to [N, O, S, H', W']:
///   out(k, x) = sum over taps t, pixels y of  in(k + t, x + 2^k y) W(t, y);  levels beyond the coarsest count as zero.
/// Exactly equivariant to the semigroup action in(k, x) -> in(k + 1, 2x). Parameters: those of `conv`, whose input
/// channels are the taps one after the other.
class DilatedScaleConvImpl : public torch::nn::Cloneable<DilatedScaleConvImpl> {
 public:
  explicit DilatedScaleConvImpl(DilatedScaleConvOptions options);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);

  DilatedScaleConvOptions options;
  torch::nn::Conv2d conv{nullptr};
};
TORCH_MODULE(DilatedScaleConv);

}  // namespace scdcf::nn
