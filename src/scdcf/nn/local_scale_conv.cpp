#include "scdcf/nn/local_scale_conv.h"

#include <torch/types.h>

#include "scdcf/core/error.h"
#include "scdcf/nn/resize.h"

namespace scdcf::nn {

LocalScaleConvImpl::LocalScaleConvImpl(MultiScaleConvOptions options_) : options(options_) { reset(); }

void LocalScaleConvImpl::reset() {
  check_multi_scale(options, "LocalScaleConv");
  conv = register_module(
      "conv",
      torch::nn::Conv2d(torch::nn::Conv2dOptions(options.in_channels(), options.out_channels(), options.kernel_size())
                            .bias(options.bias())));
}

void LocalScaleConvImpl::pretty_print(std::ostream& stream) const {
  stream << describe_multi_scale(options, "LocalScaleConv");
}

torch::Tensor LocalScaleConvImpl::responses(const torch::Tensor& input) {
  require(input.dim() == 4 && input.size(1) == options.in_channels(), "LocalScaleConv: input: got shape ",
          input.sizes(), ", expected [N, ", options.in_channels(), ", H, W]");
  std::vector<torch::Tensor> scales;
  for (const double factor : options.factors()) {
    auto response = convolve_resized(input, conv->weight, conv->bias, factor);
    if (options.stride() != 1) response = response.slice(2, 0, response.size(2), 2).slice(3, 0, response.size(3), 2);
    scales.push_back(response);
  }
  return torch::stack(scales, 2);
}

torch::Tensor LocalScaleConvImpl::forward(const torch::Tensor& input) { return std::get<0>(responses(input).max(2)); }

}  // namespace scdcf::nn
