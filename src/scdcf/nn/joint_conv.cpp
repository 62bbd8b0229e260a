#include "scdcf/nn/joint_conv.h"

#include "scdcf/core/error.h"
#include "scdcf/ops/composed.h"

namespace scdcf::nn {
namespace {

void print(std::ostream& stream, const char* name, const JointConvOptions& options, const FilterExpansion& expansion) {
  stream << "scdcf::nn::" << name << "(" << options.in_channels() << " -> " << options.out_channels() << ", "
         << describe_filters(expansion.filters()) << ", K_alpha=" << expansion.scale_basis().count
         << ", L_alpha=" << options.scale_taps();
  if (options.scale_taps() > 1) stream << " " << name_of(options.support()) << " " << name_of(options.scale_padding());
  if (options.stride() != 1) stream << ", stride " << options.stride();
  if (options.padding() != SpatialPadding::zero) stream << ", padding " << name_of(options.padding());
  stream << (options.bias() ? ")" : ", no bias)");
}

void check_features(const torch::Tensor& input, const char* name, const JointConvOptions& options) {
  require(input.dim() == 5, name, ": input: got shape ", input.sizes(), ", expected features [N, C, S, H, W]");
  require(input.size(2) == options.grid().count(), name, ": input: got ", input.size(2), " scales (dimension 2 of ",
          input.sizes(), "), expected ", options.grid().count());
}

}  // namespace

void JointConvImpl::pretty_print(std::ostream& stream) const { print(stream, "JointConv", options, expansion()); }

torch::Tensor JointConvImpl::forward(const torch::Tensor& input) {
  check_features(input, "JointConv", options);
  return with_bias(ops::joint_conv(input, coefficients, expansion().scale_basis_like(coefficients),
                                   expansion().filters(), expansion().sources(), {options.stride(), options.padding()},
                                   options.algorithm()));
}

void JointConvTransposeImpl::pretty_print(std::ostream& stream) const {
  print(stream, "JointConvTranspose", options, expansion());
}

torch::Tensor JointConvTransposeImpl::forward(const torch::Tensor& input) {
  check_features(input, "JointConvTranspose", options);
  require(options.padding() == SpatialPadding::zero, "JointConvTranspose: padding: got ", name_of(options.padding()),
          ", expected zero");
  return with_bias(ops::joint_conv_transpose_composed(input, coefficients, expansion().scale_basis_like(coefficients),
                                                      expansion().filters(), expansion().sources(), options.stride()));
}

}  // namespace scdcf::nn
