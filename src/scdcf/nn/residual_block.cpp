#include "scdcf/nn/residual_block.h"

#include <torch/torch.h>

#include "scdcf/core/error.h"
#include "scdcf/nn/input_checks.h"

namespace scdcf::nn {

ResidualBlockImpl::ResidualBlockImpl(ResidualBlockOptions options_) : options(std::move(options_)) { reset(); }

void ResidualBlockImpl::reset() {
  require(options.dropout() >= 0 && options.dropout() < 1, "ResidualBlock: dropout: got ", options.dropout(),
          ", expected at least 0 and below 1");
  require(options.conv().padding() != SpatialPadding::none,
          "ResidualBlock: padding: got none, expected zero or replicate: the shortcut keeps the size of the map");
  const auto& first = options.conv();
  auto second = first;
  second.in_channels(first.out_channels()).stride(1);
  const auto norm = [&](int64_t channels) {
    return NormReluPool(NormReluPoolOptions(channels).window(1).keeps_zero(options.keeps_zero()));
  };
  norm1 = register_module("norm1", norm(first.in_channels()));
  conv1 = register_module("conv1", JointConv(first));
  norm2 = register_module("norm2", norm(first.out_channels()));
  dropout = register_module("dropout", Dropout(options.dropout()));
  conv2 = register_module("conv2", JointConv(second));
  shortcut = nullptr;
  if (first.in_channels() != first.out_channels() || first.stride() != 1)
    shortcut = register_module(
        "shortcut",
        PointwiseConv(
            PointwiseConvOptions(first.in_channels(), first.out_channels()).stride(first.stride()).bias(first.bias())));
}

void ResidualBlockImpl::pretty_print(std::ostream& stream) const { stream << "scdcf::nn::ResidualBlock"; }

torch::Tensor ResidualBlockImpl::forward(const torch::Tensor& input) {
  check_features("ResidualBlock", input, options.conv().in_channels(), options.conv().grid().count());
  const auto active = norm1(input);
  return conv2(dropout(norm2(conv1(active)))) + (shortcut.is_empty() ? input : shortcut(active));
}

}  // namespace scdcf::nn
