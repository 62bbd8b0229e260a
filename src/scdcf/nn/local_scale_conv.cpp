#include "scdcf/nn/local_scale_conv.h"

#include <torch/types.h>

#include "scdcf/nn/input_checks.h"

namespace scdcf::nn {

LocalScaleConvImpl::LocalScaleConvImpl(MultiScaleConvOptions options_) : options(options_) { reset(); }

void LocalScaleConvImpl::reset() {
  check_multi_scale(options, "LocalScaleConv");
  convolution_ = std::make_shared<MultiScaleConvolution>(options.factors(), options.kernel_size(), options.stride());
  conv = register_module(
      "conv",
      torch::nn::Conv2d(torch::nn::Conv2dOptions(options.in_channels(), options.out_channels(), options.kernel_size())
                            .bias(options.bias())));
}

void LocalScaleConvImpl::pretty_print(std::ostream& stream) const {
  stream << describe_multi_scale(options, "LocalScaleConv");
}

torch::Tensor LocalScaleConvImpl::forward(const torch::Tensor& input) {
  check_images("LocalScaleConv", input, options.in_channels());
  const std::vector<torch::Tensor> weights(static_cast<size_t>(options.scales()), conv->weight);
  return MultiScaleConvolution::to_maps((*convolution_)(input, weights, conv->bias).amax(0));
}

}  // namespace scdcf::nn
