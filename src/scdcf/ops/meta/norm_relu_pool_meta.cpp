// Shapes without data, symbolic ones too, for tools that trace a network before they run it.
#include <torch/library.h>

#include "scdcf/ops/channels_last.h"
#include "scdcf/ops/checks.h"

namespace scdcf::ops {
namespace {

std::tuple<at::Tensor, at::Tensor, at::Tensor> norm_relu_pool_meta(const at::Tensor& input, const at::Tensor& weight,
                                                                   const at::Tensor& bias,
                                                                   const at::Tensor& running_mean,
                                                                   const at::Tensor& running_var, bool training,
                                                                   double momentum, double eps, int64_t window,
                                                                   int64_t stride, int64_t padding, bool) {
  const auto sizes = check_norm_relu_pool(input, weight, bias, running_mean, running_var, {training, momentum, eps},
                                          {window, stride, padding});
  const auto saved = input.options().dtype(at::kDouble);
  return {empty_channels_last(sizes, input), at::empty_symint(weight.sym_sizes(), saved),
          at::empty_symint(weight.sym_sizes(), saved)};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> norm_relu_pool_backward_meta(
    const at::Tensor& grad, const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
    const at::Tensor& mean, const at::Tensor& invstd, bool, int64_t window, int64_t stride, int64_t padding,
    bool input_grad, bool) {
  check_norm_relu_pool_backward(grad, input, weight, bias, mean, invstd, {window, stride, padding});
  return {input_grad ? empty_channels_last(input.sym_sizes(), input) : at::Tensor(),
          at::empty_symint(weight.sym_sizes(), weight.options()), at::empty_symint(bias.sym_sizes(), bias.options())};
}

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, Meta, m) {
  m.impl("norm_relu_pool", TORCH_FN(norm_relu_pool_meta));
  m.impl("norm_relu_pool_backward", TORCH_FN(norm_relu_pool_backward_meta));
}

}  // namespace scdcf::ops
