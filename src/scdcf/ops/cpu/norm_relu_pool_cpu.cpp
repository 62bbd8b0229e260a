// Torch's side of the CPU kernel: layouts, types, threads, registration.
#include <ATen/ATen.h>
#include <torch/library.h>

#include "scdcf/ops/channels_last.h"
#include "scdcf/ops/checks.h"
#include "scdcf/ops/cpu/norm_relu_pool_kernel.h"
#include "scdcf/ops/cpu/torch_threads.h"

namespace scdcf::ops {
namespace {

std::tuple<at::Tensor, at::Tensor, at::Tensor> norm_relu_pool_cpu(const at::Tensor& input, const at::Tensor& weight,
                                                                  const at::Tensor& bias,
                                                                  const at::Tensor& running_mean,
                                                                  const at::Tensor& running_var, bool training,
                                                                  double momentum, double eps, int64_t window,
                                                                  int64_t stride, int64_t padding) {
  const NormSettings settings{training, momentum, eps};
  const AveragePool pool{window, stride, padding};
  const auto sizes = check_norm_relu_pool(input, weight, bias, running_mean, running_var, settings, pool);
  const auto problem = make_norm_pool_problem(input, pool, sizes);
  const auto x = channels_last(input), w = weight.contiguous(), b = bias.contiguous();
  auto out = empty_channels_last(sizes, input);
  auto mean = at::empty({problem.channels}, input.options().dtype(at::kDouble)), invstd = at::empty_like(mean);
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "norm_relu_pool", [&] {
    cpu::norm_relu_pool(problem, settings, x.data_ptr<scalar_t>(), w.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(),
                        running_mean.data_ptr<scalar_t>(), running_var.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(),
                        mean.data_ptr<double>(), invstd.data_ptr<double>(), cpu::torch_threads());
  });
  return {out, mean, invstd};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> norm_relu_pool_backward_cpu(
    const at::Tensor& grad, const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
    const at::Tensor& mean, const at::Tensor& invstd, bool training, int64_t window, int64_t stride, int64_t padding,
    bool input_grad) {
  const AveragePool pool{window, stride, padding};
  const auto sizes = check_norm_relu_pool_backward(grad, input, weight, bias, mean, invstd, pool);
  const auto problem = make_norm_pool_problem(input, pool, sizes);
  const auto x = channels_last(input), g = channels_last(grad);
  const auto w = weight.contiguous(), b = bias.contiguous(), m = mean.contiguous(), s = invstd.contiguous();
  at::Tensor grad_input;
  if (input_grad) grad_input = empty_channels_last(input.sym_sizes(), input);
  auto grad_weight = at::empty_like(w), grad_bias = at::empty_like(b);
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "norm_relu_pool_backward", [&] {
    cpu::norm_relu_pool_backward(
        problem, training, x.data_ptr<scalar_t>(), w.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(), m.data_ptr<double>(),
        s.data_ptr<double>(), g.data_ptr<scalar_t>(), input_grad ? grad_input.data_ptr<scalar_t>() : nullptr,
        grad_weight.data_ptr<scalar_t>(), grad_bias.data_ptr<scalar_t>(), cpu::torch_threads());
  });
  return {grad_input, grad_weight, grad_bias};
}

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, CPU, m) {
  m.impl("norm_relu_pool", TORCH_FN(norm_relu_pool_cpu));
  m.impl("norm_relu_pool_backward", TORCH_FN(norm_relu_pool_backward_cpu));
}

}  // namespace scdcf::ops
