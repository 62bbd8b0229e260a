// Shapes without data, for tools that trace a network before they run it.
#include <ATen/ATen.h>
#include <torch/library.h>

#include "scdcf/ops/separable.h"

namespace scdcf::ops {
namespace {

at::Tensor separable_joint_conv_meta(const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
                                     at::IntArrayRef modes, at::IntArrayRef radii, at::IntArrayRef sources,
                                     int64_t column_modes, int64_t row_modes, int64_t stride, int64_t padding) {
  const auto problem =
      make_problem(input, mixing, factors, modes, radii, sources, column_modes, row_modes, stride, padding);
  return at::empty(
      {problem.batch, problem.out_channels, static_cast<int64_t>(radii.size()), problem.out_height, problem.out_width},
      input.options(), at::MemoryFormat::ChannelsLast3d);
}

std::tuple<at::Tensor, at::Tensor> separable_joint_conv_backward_meta(
    const at::Tensor&, const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
    at::IntArrayRef modes, at::IntArrayRef radii, at::IntArrayRef sources, int64_t column_modes, int64_t row_modes,
    int64_t stride, int64_t padding, bool input_grad, bool mixing_grad) {
  make_problem(input, mixing, factors, modes, radii, sources, column_modes, row_modes, stride, padding);
  return {input_grad ? at::empty_like(input, input.options(), at::MemoryFormat::ChannelsLast3d) : at::Tensor(),
          mixing_grad ? at::empty_like(mixing, mixing.options(), at::MemoryFormat::Contiguous) : at::Tensor()};
}

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, Meta, m) {
  m.impl("separable_joint_conv", TORCH_FN(separable_joint_conv_meta));
  m.impl("separable_joint_conv_backward", TORCH_FN(separable_joint_conv_backward_meta));
}

}  // namespace scdcf::ops
