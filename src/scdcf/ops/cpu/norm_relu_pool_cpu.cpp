// Torch's side of the CPU kernel: layouts, types, threads, registration.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/library.h>

#include "scdcf/core/error.h"
#include "scdcf/core/parallel.h"
#include "scdcf/ops/cpu/norm_relu_pool_kernel.h"
#include "scdcf/ops/norm_relu_pool.h"

namespace scdcf::ops {
namespace {

cpu::Parallel torch_threads() { return {at::in_parallel_region() ? 1 : at::get_num_threads(), run_parallel}; }

void check_type(const at::Tensor& input) {
  require(input.scalar_type() == at::kFloat || input.scalar_type() == at::kDouble, "norm_relu_pool: input: got type ",
          input.scalar_type(), ", expected Float or Double on the CPU");
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> norm_relu_pool_cpu(const at::Tensor& input, const at::Tensor& weight,
                                                                  const at::Tensor& bias,
                                                                  const at::Tensor& running_mean,
                                                                  const at::Tensor& running_var, bool training,
                                                                  double momentum, double eps, int64_t window,
                                                                  int64_t stride, int64_t padding) {
  check_type(input);
  const auto problem = make_norm_pool_problem(input, weight, bias, {window, stride, padding});
  const NormSettings settings{training, momentum, eps};
  check_statistics(problem, weight, running_mean, running_var, settings);
  const auto x = input.contiguous(channels_last_format(input)), w = weight.contiguous(), b = bias.contiguous();
  auto out = at::empty(pooled_sizes(input, problem), input.options(), channels_last_format(input));
  auto mean = at::empty({problem.channels}, input.options().dtype(at::kDouble)), invstd = at::empty_like(mean);
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "norm_relu_pool", [&] {
    cpu::norm_relu_pool(problem, settings, x.data_ptr<scalar_t>(), w.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(),
                        running_mean.data_ptr<scalar_t>(), running_var.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(),
                        mean.data_ptr<double>(), invstd.data_ptr<double>(), torch_threads());
  });
  return {out, mean, invstd};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> norm_relu_pool_backward_cpu(
    const at::Tensor& grad, const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
    const at::Tensor& mean, const at::Tensor& invstd, bool training, int64_t window, int64_t stride, int64_t padding,
    bool input_grad) {
  check_type(input);
  const auto problem = make_norm_pool_problem(input, weight, bias, {window, stride, padding});
  check_saved(problem, grad, input, mean, invstd);
  const auto format = channels_last_format(input);
  const auto x = input.contiguous(format), g = grad.to(input.scalar_type()).contiguous(format);
  const auto w = weight.contiguous(), b = bias.contiguous(), m = mean.contiguous(), s = invstd.contiguous();
  at::Tensor grad_input;
  if (input_grad) grad_input = at::empty(input.sizes(), input.options(), format);
  auto grad_weight = at::empty_like(w), grad_bias = at::empty_like(b);
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "norm_relu_pool_backward", [&] {
    cpu::norm_relu_pool_backward(problem, training, x.data_ptr<scalar_t>(), w.data_ptr<scalar_t>(),
                                 b.data_ptr<scalar_t>(), m.data_ptr<double>(), s.data_ptr<double>(),
                                 g.data_ptr<scalar_t>(), input_grad ? grad_input.data_ptr<scalar_t>() : nullptr,
                                 grad_weight.data_ptr<scalar_t>(), grad_bias.data_ptr<scalar_t>(), torch_threads());
  });
  return {grad_input, grad_weight, grad_bias};
}

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, CPU, m) {
  m.impl("norm_relu_pool", TORCH_FN(norm_relu_pool_cpu));
  m.impl("norm_relu_pool_backward", TORCH_FN(norm_relu_pool_backward_cpu));
}

}  // namespace scdcf::ops
