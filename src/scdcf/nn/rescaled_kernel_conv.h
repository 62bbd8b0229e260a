// The scale-invariant convolution of Xu et al. 2014: columns that share one canonical kernel, each at its own size.
#pragma once

#include <torch/nn/cloneable.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/pimpl.h>

#include "scdcf/nn/kernel_rescaling.h"
#include "scdcf/nn/multi_scale_options.h"

namespace scdcf::nn {

/// out[:, :, s] = conv(x[:, :, s], K_{f_s}): column s sees nothing but column s, through the canonical kernel rescaled
/// by its factor (KernelRescaling). An image [N, C, H, W] goes to every column. Result [N, O, S, H', W'], the smallest
/// kernel first. Parameters: those of the ordinary convolution `canonical`.
class RescaledKernelConvImpl : public torch::nn::Cloneable<RescaledKernelConvImpl> {
 public:
  explicit RescaledKernelConvImpl(MultiScaleConvOptions options);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);

  MultiScaleConvOptions options;
  torch::nn::Conv2d canonical{nullptr};

 private:
  std::shared_ptr<const KernelRescaling> rescaling_;
};
TORCH_MODULE(RescaledKernelConv);

}  // namespace scdcf::nn
