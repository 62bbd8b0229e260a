#include "scdcf/nn/lifting_conv.h"

#include "scdcf/nn/input_checks.h"

namespace scdcf::nn {

void LiftingConvImpl::pretty_print(std::ostream& stream) const {
  stream << "scdcf::nn::LiftingConv(" << options.in_channels() << " -> " << options.out_channels() << ", "
         << describe_filters(expansion().filters());
  if (options.stride() != 1) stream << ", stride " << options.stride();
  if (options.padding() != SpatialPadding::zero) stream << ", padding " << name_of(options.padding());
  stream << (options.bias() ? ")" : ", no bias)");
}

torch::Tensor LiftingConvImpl::forward(const torch::Tensor& input) {
  check_images("LiftingConv", input, options.in_channels());
  expansion().check_input("LiftingConv", input, coefficients, options.padding());
  return with_bias(ops::joint_conv(input.unsqueeze(2), coefficients, expansion().scale_weights_like(coefficients),
                                   expansion().filters(), expansion().sources(), {options.stride(), options.padding()},
                                   options.algorithm()));
}

}  // namespace scdcf::nn
