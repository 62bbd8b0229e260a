// Torch's side of the CUDA kernels: layouts, types, stream, registration.
#include <torch/library.h>

#include "scdcf/ops/channels_last.h"
#include "scdcf/ops/checks.h"
#include "scdcf/ops/cuda/norm_relu_pool.h"
#include "scdcf/ops/cuda/torch_call.h"

namespace scdcf::ops {
namespace {

std::tuple<at::Tensor, at::Tensor, at::Tensor> norm_relu_pool_cuda(const at::Tensor& input, const at::Tensor& weight,
                                                                   const at::Tensor& bias,
                                                                   const at::Tensor& running_mean,
                                                                   const at::Tensor& running_var, bool training,
                                                                   double momentum, double eps, int64_t window,
                                                                   int64_t stride, int64_t padding) {
  const NormSettings settings{training, momentum, eps};
  const AveragePool pool{window, stride, padding};
  const auto sizes = check_norm_relu_pool(input, weight, bias, running_mean, running_var, settings, pool);
  const auto problem = make_norm_pool_problem(input, pool, sizes);
  const c10::cuda::CUDAGuard on_device(input.device());
  const auto x = channels_last(input), w = weight.contiguous(), b = bias.contiguous();
  auto out = empty_channels_last(sizes, input);
  auto mean = at::empty({problem.channels}, input.options().dtype(at::kDouble)), invstd = at::empty_like(mean);
  const auto scratch = cuda::workspace(cuda::norm_workspace(problem), input);
  cuda::norm_relu_pool(problem, settings,
                       {x.data_ptr(), w.data_ptr(), b.data_ptr(), running_mean.data_ptr(), running_var.data_ptr(),
                        mean.data_ptr<double>(), invstd.data_ptr<double>(), out.data_ptr()},
                       scratch.data_ptr(), cuda::data_type(input), at::cuda::getCurrentCUDAStream());
  return {out, mean, invstd};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> norm_relu_pool_backward_cuda(
    const at::Tensor& grad, const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
    const at::Tensor& mean, const at::Tensor& invstd, bool training, int64_t window, int64_t stride, int64_t padding,
    bool input_grad) {
  const AveragePool pool{window, stride, padding};
  const auto sizes = check_norm_relu_pool_backward(grad, input, weight, bias, mean, invstd, pool);
  const auto problem = make_norm_pool_problem(input, pool, sizes);
  const c10::cuda::CUDAGuard on_device(input.device());
  const auto x = channels_last(input), g = channels_last(grad);
  const auto w = weight.contiguous(), b = bias.contiguous(), m = mean.contiguous(), s = invstd.contiguous();
  at::Tensor grad_input;
  if (input_grad) grad_input = empty_channels_last(input.sym_sizes(), input);
  auto grad_weight = at::empty_like(w), grad_bias = at::empty_like(b);
  const auto scratch = cuda::workspace(cuda::norm_workspace(problem), input);
  cuda::norm_relu_pool_backward(
      problem, training,
      {x.data_ptr(), w.data_ptr(), b.data_ptr(), m.data_ptr<double>(), s.data_ptr<double>(), g.data_ptr(),
       input_grad ? grad_input.data_ptr() : nullptr, grad_weight.data_ptr(), grad_bias.data_ptr()},
      scratch.data_ptr(), cuda::data_type(input), at::cuda::getCurrentCUDAStream());
  return {grad_input, grad_weight, grad_bias};
}

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, CUDA, m) {
  m.impl("norm_relu_pool", TORCH_FN(norm_relu_pool_cuda));
  m.impl("norm_relu_pool_backward", TORCH_FN(norm_relu_pool_backward_cuda));
}

}  // namespace scdcf::ops
