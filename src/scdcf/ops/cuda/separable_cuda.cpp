// Torch's side of the CUDA kernels: layouts, types, precision, stream, registration.
#include <ATen/Context.h>
#include <torch/library.h>

#include "scdcf/ops/channels_last.h"
#include "scdcf/ops/checks.h"
#include "scdcf/ops/cuda/separable_kernel.h"
#include "scdcf/ops/cuda/torch_call.h"
#include "scdcf/ops/tensor_argument.h"

namespace scdcf::ops {
namespace {

/// TF32 follows the switch that torch's own convolutions obey.
cuda::Precision precision() {
  return at::globalContext().allowTF32CuDNN() ? cuda::Precision::tf32 : cuda::Precision::fp32;
}

/// Mixing and factors in the type that the kernels expect beside `input`: float for bfloat16 data.
at::Tensor constants_for(const at::Tensor& input, const at::Tensor& tensor) {
  return tensor.to(parameter_type(input)).contiguous();
}

at::Tensor separable_joint_conv_cuda(const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
                                     at::IntArrayRef modes, at::IntArrayRef radii, at::IntArrayRef sources,
                                     int64_t column_modes, int64_t row_modes, int64_t stride, int64_t padding) {
  const SeparableArguments arguments{modes.vec(), radii.vec(), sources.vec(), column_modes, row_modes, stride, padding};
  const auto sizes = check_separable_joint_conv(input, mixing, factors, arguments);
  const auto problem = make_problem(input, mixing, arguments, sizes);
  const c10::cuda::CUDAGuard on_device(input.device());
  const auto type = cuda::data_type(input);
  const auto x = channels_last(input);
  const auto m = constants_for(input, mixing), f = constants_for(input, factors);
  auto out = empty_channels_last(sizes, input);
  const auto scratch = cuda::workspace(cuda::forward_workspace(problem, type, precision()), input);
  cuda::forward(problem, x.data_ptr(), f.data_ptr(), m.data_ptr(), out.data_ptr(), scratch.data_ptr(), type,
                precision(), at::cuda::getCurrentCUDAStream());
  return out;
}

std::tuple<at::Tensor, at::Tensor> separable_joint_conv_backward_cuda(
    const at::Tensor& grad, const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
    at::IntArrayRef modes, at::IntArrayRef radii, at::IntArrayRef sources, int64_t column_modes, int64_t row_modes,
    int64_t stride, int64_t padding, bool input_grad, bool mixing_grad) {
  const SeparableArguments arguments{modes.vec(), radii.vec(), sources.vec(), column_modes, row_modes, stride, padding};
  const auto sizes = check_separable_joint_conv_backward(grad, input, mixing, factors, arguments);
  const auto problem = make_problem(input, mixing, arguments, sizes);
  const c10::cuda::CUDAGuard on_device(input.device());
  const auto type = cuda::data_type(input);
  const auto x = channels_last(input), g = channels_last(grad);
  const auto m = constants_for(input, mixing), f = constants_for(input, factors);
  at::Tensor grad_input, grad_mixing;
  if (input_grad) grad_input = empty_channels_last(input.sym_sizes(), input);
  if (mixing_grad) grad_mixing = at::empty(m.sizes(), m.options());
  const auto scratch =
      cuda::workspace(cuda::backward_workspace(problem, type, precision(), input_grad, mixing_grad), input);
  cuda::backward(problem, x.data_ptr(), f.data_ptr(), m.data_ptr(), g.data_ptr(),
                 input_grad ? grad_input.data_ptr() : nullptr, mixing_grad ? grad_mixing.data_ptr() : nullptr,
                 scratch.data_ptr(), type, precision(), at::cuda::getCurrentCUDAStream());
  return {grad_input, mixing_grad ? grad_mixing.to(mixing.scalar_type()) : grad_mixing};
}

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, CUDA, m) {
  m.impl("separable_joint_conv", TORCH_FN(separable_joint_conv_cuda));
  m.impl("separable_joint_conv_backward", TORCH_FN(separable_joint_conv_backward_cuda));
}

}  // namespace scdcf::ops
