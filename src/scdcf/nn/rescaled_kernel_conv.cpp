#include "scdcf/nn/rescaled_kernel_conv.h"

#include <torch/types.h>

#include <algorithm>

#include "scdcf/core/error.h"

namespace scdcf::nn {
namespace {

/// Taps that lie beyond the zero padding for every pixel of the map are dropped: at 7 pixels a 27x27 kernel is 13x13.
torch::Tensor within_reach(const torch::Tensor& kernel, int64_t height, int64_t width) {
  const int64_t radius = kernel.size(2) / 2, largest = std::max(height, width) - 1;
  if (radius <= largest) return kernel;
  const int64_t start = radius - largest, length = 2 * largest + 1;
  return kernel.narrow(2, start, length).narrow(3, start, length);
}

}  // namespace

RescaledKernelConvImpl::RescaledKernelConvImpl(MultiScaleConvOptions options_) : options(options_) { reset(); }

void RescaledKernelConvImpl::reset() {
  check_multi_scale(options, "RescaledKernelConv");
  rescaling_ = std::make_shared<KernelRescaling>(options.kernel_size(), options.factors());
  canonical = register_module(
      "canonical",
      torch::nn::Conv2d(torch::nn::Conv2dOptions(options.in_channels(), options.out_channels(), options.kernel_size())
                            .bias(options.bias())));
}

void RescaledKernelConvImpl::pretty_print(std::ostream& stream) const {
  stream << describe_multi_scale(options, "RescaledKernelConv");
}

torch::Tensor RescaledKernelConvImpl::forward(const torch::Tensor& input) {
  const bool columns = input.dim() == 5;
  require(
      (input.dim() == 4 || (columns && input.size(2) == options.scales())) && input.size(1) == options.in_channels(),
      "RescaledKernelConv: input: got shape ", input.sizes(), ", expected [N, ", options.in_channels(),
      ", H, W] or [N, ", options.in_channels(), ", ", options.scales(), ", H, W]");
  std::vector<torch::Tensor> outputs;
  for (size_t s = 0; s < rescaling_->count(); ++s) {
    const auto kernel = within_reach((*rescaling_)(canonical->weight, s), input.size(-2), input.size(-1));
    const auto column = columns ? input.select(2, static_cast<int64_t>(s)) : input;
    outputs.push_back(torch::conv2d(column, kernel, canonical->bias, options.stride(), kernel.size(2) / 2));
  }
  return torch::stack(outputs, 2);
}

}  // namespace scdcf::nn
