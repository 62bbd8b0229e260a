// Shapes without data, for tools that trace a network before they run it.
#include <ATen/ATen.h>
#include <torch/library.h>

#include "scdcf/ops/norm_relu_pool.h"

namespace scdcf::ops {
namespace {

std::tuple<at::Tensor, at::Tensor, at::Tensor> norm_relu_pool_meta(const at::Tensor& input, const at::Tensor& weight,
                                                                   const at::Tensor& bias,
                                                                   const at::Tensor& running_mean,
                                                                   const at::Tensor& running_var, bool training,
                                                                   double momentum, double eps, int64_t window,
                                                                   int64_t stride, int64_t padding) {
  const auto problem = make_norm_pool_problem(input, weight, bias, {window, stride, padding});
  check_statistics(problem, weight, running_mean, running_var, {training, momentum, eps});
  const auto saved = input.options().dtype(at::kDouble);
  return {at::empty(pooled_sizes(input, problem), input.options(), channels_last_format(input)),
          at::empty({problem.channels}, saved), at::empty({problem.channels}, saved)};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> norm_relu_pool_backward_meta(
    const at::Tensor& grad, const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
    const at::Tensor& mean, const at::Tensor& invstd, bool, int64_t window, int64_t stride, int64_t padding,
    bool input_grad) {
  const auto problem = make_norm_pool_problem(input, weight, bias, {window, stride, padding});
  check_saved(problem, grad, input, mean, invstd);
  return {input_grad ? at::empty(input.sizes(), input.options(), channels_last_format(input)) : at::Tensor(),
          at::empty(weight.sizes(), weight.options()), at::empty(bias.sizes(), bias.options())};
}

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, Meta, m) {
  m.impl("norm_relu_pool", TORCH_FN(norm_relu_pool_meta));
  m.impl("norm_relu_pool_backward", TORCH_FN(norm_relu_pool_backward_meta));
}

}  // namespace scdcf::ops
