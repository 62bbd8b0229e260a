// Torch's side of the CUDA kernels: layouts, types, precision, stream, registration.
#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include "scdcf/core/error.h"
#include "scdcf/ops/cuda/separable_kernel.h"
#include "scdcf/ops/separable.h"

namespace scdcf::ops {
namespace {

cuda::DataType data_type(const at::Tensor& input) {
  switch (input.scalar_type()) {
    case at::kFloat:
      return cuda::DataType::float32;
    case at::kBFloat16:
      return cuda::DataType::bfloat16;
    case at::kDouble:
      return cuda::DataType::float64;
    default:
      break;
  }
  detail::fail("separable_joint_conv: input: got type ", input.scalar_type(),
               ", expected Float, Double or BFloat16 on a GPU");
}

/// TF32 follows the switch that torch's own convolutions obey.
cuda::Precision precision() {
  return at::globalContext().allowTF32CuDNN() ? cuda::Precision::tf32 : cuda::Precision::fp32;
}

/// Mixing and factors in the type that the kernels expect beside `input`: float for bfloat16 data.
at::Tensor constants_for(const at::Tensor& input, const at::Tensor& tensor) {
  const auto type = input.scalar_type() == at::kBFloat16 ? at::kFloat : input.scalar_type();
  return tensor.to(type).contiguous();
}

at::Tensor workspace(size_t bytes, const at::Tensor& input) {
  return at::empty({static_cast<int64_t>(bytes)}, input.options().dtype(at::kByte));
}

at::Tensor separable_joint_conv_cuda(const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
                                     at::IntArrayRef modes, at::IntArrayRef radii, at::IntArrayRef sources,
                                     int64_t column_modes, int64_t row_modes, int64_t stride, int64_t padding) {
  const auto problem =
      make_problem(input, mixing, factors, modes, radii, sources, column_modes, row_modes, stride, padding);
  const c10::cuda::CUDAGuard on_device(input.device());
  const auto type = data_type(input);
  const auto x = input.contiguous(at::MemoryFormat::ChannelsLast3d);
  const auto m = constants_for(input, mixing), f = constants_for(input, factors);
  auto out = at::empty(
      {problem.batch, problem.out_channels, static_cast<int64_t>(radii.size()), problem.out_height, problem.out_width},
      input.options(), at::MemoryFormat::ChannelsLast3d);
  const auto scratch = workspace(cuda::forward_workspace(problem, type, precision()), input);
  cuda::forward(problem, x.data_ptr(), f.data_ptr(), m.data_ptr(), out.data_ptr(), scratch.data_ptr(), type,
                precision(), at::cuda::getCurrentCUDAStream());
  return out;
}

std::tuple<at::Tensor, at::Tensor> separable_joint_conv_backward_cuda(
    const at::Tensor& grad, const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
    at::IntArrayRef modes, at::IntArrayRef radii, at::IntArrayRef sources, int64_t column_modes, int64_t row_modes,
    int64_t stride, int64_t padding, bool input_grad, bool mixing_grad) {
  const auto problem =
      make_problem(input, mixing, factors, modes, radii, sources, column_modes, row_modes, stride, padding);
  const c10::cuda::CUDAGuard on_device(input.device());
  const auto type = data_type(input);
  const auto x = input.contiguous(at::MemoryFormat::ChannelsLast3d);
  const auto g = grad.to(input.scalar_type()).contiguous(at::MemoryFormat::ChannelsLast3d);
  const auto m = constants_for(input, mixing), f = constants_for(input, factors);
  at::Tensor grad_input, grad_mixing;
  if (input_grad) grad_input = at::empty(input.sizes(), input.options(), at::MemoryFormat::ChannelsLast3d);
  if (mixing_grad) grad_mixing = at::empty(m.sizes(), m.options());
  const auto scratch = workspace(cuda::backward_workspace(problem, type, precision(), input_grad, mixing_grad), input);
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
