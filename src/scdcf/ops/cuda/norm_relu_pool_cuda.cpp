// Torch's side of the CUDA kernels: layouts, types, stream, registration.
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include "scdcf/core/error.h"
#include "scdcf/ops/cuda/norm_relu_pool.h"
#include "scdcf/ops/norm_relu_pool.h"

namespace scdcf::ops {
namespace {

cuda::DataType norm_data_type(const at::Tensor& input) {
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
  detail::fail("norm_relu_pool: input: got type ", input.scalar_type(),
               ", expected Float, Double or BFloat16 on a GPU");
}

void check_count(const NormPoolProblem& problem) {
  require(problem.pixels() <= cuda::kMostNormPixels && problem.outputs() <= cuda::kMostNormPixels,
          "norm_relu_pool: input: got ", problem.pixels(), " pixels, expected at most ", cuda::kMostNormPixels,
          " on a GPU");
}

at::Tensor norm_scratch(const NormPoolProblem& problem, const at::Tensor& input) {
  return at::empty({static_cast<int64_t>(cuda::norm_workspace(problem))}, input.options().dtype(at::kByte));
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> norm_relu_pool_cuda(const at::Tensor& input, const at::Tensor& weight,
                                                                   const at::Tensor& bias,
                                                                   const at::Tensor& running_mean,
                                                                   const at::Tensor& running_var, bool training,
                                                                   double momentum, double eps, int64_t window,
                                                                   int64_t stride, int64_t padding) {
  const auto type = norm_data_type(input);
  const auto problem = make_norm_pool_problem(input, weight, bias, {window, stride, padding});
  const NormSettings settings{training, momentum, eps};
  check_statistics(problem, weight, running_mean, running_var, settings);
  check_count(problem);
  const c10::cuda::CUDAGuard on_device(input.device());
  const auto x = input.contiguous(channels_last_format(input)), w = weight.contiguous(), b = bias.contiguous();
  auto out = at::empty(pooled_sizes(input, problem), input.options(), channels_last_format(input));
  auto mean = at::empty({problem.channels}, input.options().dtype(at::kDouble)), invstd = at::empty_like(mean);
  const auto scratch = norm_scratch(problem, input);
  cuda::norm_relu_pool(problem, settings,
                       {x.data_ptr(), w.data_ptr(), b.data_ptr(), running_mean.data_ptr(), running_var.data_ptr(),
                        mean.data_ptr<double>(), invstd.data_ptr<double>(), out.data_ptr()},
                       scratch.data_ptr(), type, at::cuda::getCurrentCUDAStream());
  return {out, mean, invstd};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> norm_relu_pool_backward_cuda(
    const at::Tensor& grad, const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
    const at::Tensor& mean, const at::Tensor& invstd, bool training, int64_t window, int64_t stride, int64_t padding,
    bool input_grad) {
  const auto type = norm_data_type(input);
  const auto problem = make_norm_pool_problem(input, weight, bias, {window, stride, padding});
  check_saved(problem, grad, input, mean, invstd);
  check_count(problem);
  const c10::cuda::CUDAGuard on_device(input.device());
  const auto format = channels_last_format(input);
  const auto x = input.contiguous(format), g = grad.to(input.scalar_type()).contiguous(format);
  const auto w = weight.contiguous(), b = bias.contiguous(), m = mean.contiguous(), s = invstd.contiguous();
  at::Tensor grad_input;
  if (input_grad) grad_input = at::empty(input.sizes(), input.options(), format);
  auto grad_weight = at::empty_like(w), grad_bias = at::empty_like(b);
  const auto scratch = norm_scratch(problem, input);
  cuda::norm_relu_pool_backward(
      problem, training,
      {x.data_ptr(), w.data_ptr(), b.data_ptr(), m.data_ptr<double>(), s.data_ptr<double>(), g.data_ptr(),
       input_grad ? grad_input.data_ptr() : nullptr, grad_weight.data_ptr(), grad_bias.data_ptr()},
      scratch.data_ptr(), type, at::cuda::getCurrentCUDAStream());
  return {grad_input, grad_weight, grad_bias};
}

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, CUDA, m) {
  m.impl("norm_relu_pool", TORCH_FN(norm_relu_pool_cuda));
  m.impl("norm_relu_pool_backward", TORCH_FN(norm_relu_pool_backward_cuda));
}

}  // namespace scdcf::ops
