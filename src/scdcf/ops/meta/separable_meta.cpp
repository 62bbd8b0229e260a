// Shapes without data, symbolic ones too, for tools that trace a network before they run it.
#include <torch/library.h>

#include "scdcf/ops/channels_last.h"
#include "scdcf/ops/checks.h"

namespace scdcf::ops {
namespace {

at::Tensor separable_joint_conv_meta(const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
                                     at::IntArrayRef modes, at::IntArrayRef radii, at::IntArrayRef sources,
                                     int64_t column_modes, int64_t row_modes, int64_t stride, int64_t padding) {
  const auto sizes = check_separable_joint_conv(
      input, mixing, factors, {modes.vec(), radii.vec(), sources.vec(), column_modes, row_modes, stride, padding});
  return empty_channels_last(sizes, input);
}

std::tuple<at::Tensor, at::Tensor> separable_joint_conv_backward_meta(
    const at::Tensor& grad, const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
    at::IntArrayRef modes, at::IntArrayRef radii, at::IntArrayRef sources, int64_t column_modes, int64_t row_modes,
    int64_t stride, int64_t padding, bool input_grad, bool mixing_grad) {
  check_separable_joint_conv_backward(
      grad, input, mixing, factors,
      {modes.vec(), radii.vec(), sources.vec(), column_modes, row_modes, stride, padding});
  return {input_grad ? empty_channels_last(input.sym_sizes(), input) : at::Tensor(),
          mixing_grad ? at::empty_symint(mixing.sym_sizes(), mixing.options()) : at::Tensor()};
}

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, Meta, m) {
  m.impl("separable_joint_conv", TORCH_FN(separable_joint_conv_meta));
  m.impl("separable_joint_conv_backward", TORCH_FN(separable_joint_conv_backward_meta));
}

}  // namespace scdcf::ops
