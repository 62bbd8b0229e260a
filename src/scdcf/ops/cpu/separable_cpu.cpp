// Torch's side of the CPU kernel: layouts, types, threads, registration.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/library.h>

#include "scdcf/core/error.h"
#include "scdcf/core/parallel.h"
#include "scdcf/ops/cpu/separable_kernel.h"
#include "scdcf/ops/separable.h"

namespace scdcf::ops {
namespace {

cpu::Parallel torch_threads() { return {at::in_parallel_region() ? 1 : at::get_num_threads(), run_parallel}; }

at::Tensor channels_last(const at::Tensor& tensor) { return tensor.contiguous(at::MemoryFormat::ChannelsLast3d); }

at::Tensor empty_channels_last(at::IntArrayRef sizes, const at::Tensor& like) {
  return at::empty(sizes, like.options(), at::MemoryFormat::ChannelsLast3d);
}

void check_type(const at::Tensor& input, const at::Tensor& mixing) {
  require(input.scalar_type() == at::kFloat || input.scalar_type() == at::kDouble,
          "separable_joint_conv: input: got type ", input.scalar_type(), ", expected Float or Double on the CPU");
  require(input.scalar_type() == mixing.scalar_type(), "separable_joint_conv: mixing: got type ", mixing.scalar_type(),
          ", expected the input's type ", input.scalar_type());
}

at::Tensor separable_joint_conv_cpu(const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
                                    at::IntArrayRef modes, at::IntArrayRef radii, at::IntArrayRef sources,
                                    int64_t column_modes, int64_t row_modes, int64_t stride, int64_t padding) {
  const auto problem =
      make_problem(input, mixing, factors, modes, radii, sources, column_modes, row_modes, stride, padding);
  check_type(input, mixing);
  const auto x = channels_last(input), m = mixing.contiguous(), f = factors.contiguous();
  auto out = empty_channels_last(
      {problem.batch, problem.out_channels, static_cast<int64_t>(radii.size()), problem.out_height, problem.out_width},
      input);
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "separable_joint_conv", [&] {
    cpu::forward(problem, x.data_ptr<scalar_t>(), f.data_ptr<scalar_t>(), m.data_ptr<scalar_t>(),
                 out.data_ptr<scalar_t>(), torch_threads());
  });
  return out;
}

std::tuple<at::Tensor, at::Tensor> separable_joint_conv_backward_cpu(
    const at::Tensor& grad, const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
    at::IntArrayRef modes, at::IntArrayRef radii, at::IntArrayRef sources, int64_t column_modes, int64_t row_modes,
    int64_t stride, int64_t padding, bool input_grad, bool mixing_grad) {
  const auto problem =
      make_problem(input, mixing, factors, modes, radii, sources, column_modes, row_modes, stride, padding);
  check_type(input, mixing);
  const auto x = channels_last(input), g = channels_last(grad), m = mixing.contiguous(), f = factors.contiguous();
  at::Tensor grad_input, grad_mixing;
  if (input_grad) grad_input = empty_channels_last(input.sizes(), input);
  if (mixing_grad) grad_mixing = at::empty(mixing.sizes(), mixing.options(), at::MemoryFormat::Contiguous);
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "separable_joint_conv_backward", [&] {
    cpu::backward(problem, x.data_ptr<scalar_t>(), f.data_ptr<scalar_t>(), m.data_ptr<scalar_t>(),
                  g.data_ptr<scalar_t>(), input_grad ? grad_input.data_ptr<scalar_t>() : nullptr,
                  mixing_grad ? grad_mixing.data_ptr<scalar_t>() : nullptr, torch_threads());
  });
  return {grad_input, grad_mixing};
}

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, CPU, m) {
  m.impl("separable_joint_conv", TORCH_FN(separable_joint_conv_cpu));
  m.impl("separable_joint_conv_backward", TORCH_FN(separable_joint_conv_backward_cpu));
}

}  // namespace scdcf::ops
