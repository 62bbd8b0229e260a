// Torch's side of the CPU kernel: layouts, types, threads, registration.
#include <ATen/ATen.h>
#include <torch/library.h>

#include "scdcf/ops/channels_last.h"
#include "scdcf/ops/checks.h"
#include "scdcf/ops/cpu/separable_kernel.h"
#include "scdcf/ops/cpu/torch_threads.h"

namespace scdcf::ops {
namespace {

at::Tensor separable_joint_conv_cpu(const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
                                    at::IntArrayRef modes, at::IntArrayRef radii, at::IntArrayRef sources,
                                    int64_t column_modes, int64_t row_modes, int64_t stride, int64_t padding) {
  const SeparableArguments arguments{modes.vec(), radii.vec(), sources.vec(), column_modes, row_modes, stride, padding};
  const auto sizes = check_separable_joint_conv(input, mixing, factors, arguments);
  const auto problem = make_problem(input, mixing, arguments, sizes);
  const auto x = channels_last(input), m = mixing.contiguous(), f = factors.contiguous();
  auto out = empty_channels_last(sizes, input);
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "separable_joint_conv", [&] {
    cpu::forward(problem, x.data_ptr<scalar_t>(), f.data_ptr<scalar_t>(), m.data_ptr<scalar_t>(),
                 out.data_ptr<scalar_t>(), cpu::torch_threads());
  });
  return out;
}

std::tuple<at::Tensor, at::Tensor> separable_joint_conv_backward_cpu(
    const at::Tensor& grad, const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
    at::IntArrayRef modes, at::IntArrayRef radii, at::IntArrayRef sources, int64_t column_modes, int64_t row_modes,
    int64_t stride, int64_t padding, bool input_grad, bool mixing_grad) {
  const SeparableArguments arguments{modes.vec(), radii.vec(), sources.vec(), column_modes, row_modes, stride, padding};
  const auto sizes = check_separable_joint_conv_backward(grad, input, mixing, factors, arguments);
  const auto problem = make_problem(input, mixing, arguments, sizes);
  const auto x = channels_last(input), g = channels_last(grad), m = mixing.contiguous(), f = factors.contiguous();
  at::Tensor grad_input, grad_mixing;
  if (input_grad) grad_input = empty_channels_last(input.sym_sizes(), input);
  if (mixing_grad) grad_mixing = at::empty(mixing.sizes(), mixing.options());
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "separable_joint_conv_backward", [&] {
    cpu::backward(problem, x.data_ptr<scalar_t>(), f.data_ptr<scalar_t>(), m.data_ptr<scalar_t>(),
                  g.data_ptr<scalar_t>(), input_grad ? grad_input.data_ptr<scalar_t>() : nullptr,
                  mixing_grad ? grad_mixing.data_ptr<scalar_t>() : nullptr, cpu::torch_threads());
  });
  return {grad_input, grad_mixing};
}

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, CPU, m) {
  m.impl("separable_joint_conv", TORCH_FN(separable_joint_conv_cpu));
  m.impl("separable_joint_conv_backward", TORCH_FN(separable_joint_conv_backward_cpu));
}

}  // namespace scdcf::ops
