#include "scdcf/nn/local_scale_conv.h"

#include <torch/types.h>

#include "scdcf/core/error.h"

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

torch::Tensor LocalScaleConvImpl::all_responses(const torch::Tensor& input) {
  require(input.dim() == 4 && input.size(1) == options.in_channels(), "LocalScaleConv: input: got shape ",
          input.sizes(), ", expected [N, ", options.in_channels(), ", H, W]");
  return (*convolution_)(input, std::vector<torch::Tensor>(static_cast<size_t>(options.scales()), conv->weight),
                         conv->bias);
}

torch::Tensor LocalScaleConvImpl::responses(const torch::Tensor& input) {
  return all_responses(input).permute({3, 2, 0, 1, 4});
}

torch::Tensor LocalScaleConvImpl::forward(const torch::Tensor& input) {
  return MultiScaleConvolution::to_maps(all_responses(input).amax(0));
}

}  // namespace scdcf::nn
