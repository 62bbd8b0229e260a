// The locally scale-invariant convolution of Kanazawa et al. 2014.
#pragma once

#include <torch/nn/cloneable.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/pimpl.h>

#include "scdcf/nn/multi_scale_convolution.h"
#include "scdcf/nn/multi_scale_options.h"

namespace scdcf::nn {

/// One kernel sees the input at every factor f of the options; at each pixel the strongest response stays:
///   out = max_f R_{1/f}( conv(R_f x) ),  R_f: bilinear resizing by f.   [N, C, H, W] to [N, O, H', W'].
/// Parameters: those of the ordinary convolution `conv`.
class LocalScaleConvImpl : public torch::nn::Cloneable<LocalScaleConvImpl> {
 public:
  explicit LocalScaleConvImpl(MultiScaleConvOptions options);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);

  MultiScaleConvOptions options;
  torch::nn::Conv2d conv{nullptr};

 private:
  std::shared_ptr<const MultiScaleConvolution> convolution_;
};
TORCH_MODULE(LocalScaleConv);

}  // namespace scdcf::nn
