#include "scdcf/ops/norm_relu_pool.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>

namespace scdcf::ops {

at::Tensor norm_relu_pool(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                          const at::Tensor& running_mean, const at::Tensor& running_var, const NormSettings& settings,
                          const AveragePool& pool) {
  return std::get<0>(norm_relu_pool_with_statistics(input, weight, bias, running_mean, running_var, settings, pool));
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> norm_relu_pool_with_statistics(
    const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& running_mean,
    const at::Tensor& running_var, const NormSettings& settings, const AveragePool& pool) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("scdcf::norm_relu_pool", "")
                             .typed<std::tuple<at::Tensor, at::Tensor, at::Tensor>(
                                 const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                 const at::Tensor&, bool, double, double, int64_t, int64_t, int64_t, bool)>();
  return op.call(input, weight, bias, running_mean, running_var, settings.training, settings.momentum, settings.eps,
                 pool.window, pool.stride, pool.padding, settings.keeps_zero);
}

NormPoolProblem make_norm_pool_problem(const at::Tensor& input, const AveragePool& pool, bool keeps_zero,
                                       c10::SymIntArrayRef result) {
  NormPoolProblem problem;
  problem.planes = input.size(0) * (input.dim() == 5 ? input.size(2) : 1);
  problem.channels = input.size(1);
  problem.in_height = input.size(-2);
  problem.in_width = input.size(-1);
  problem.out_height = result[result.size() - 2].expect_int();
  problem.out_width = result[result.size() - 1].expect_int();
  problem.window = pool.window;
  problem.stride = pool.stride;
  problem.padding = pool.padding;
  problem.keeps_zero = keeps_zero;
  return problem;
}

}  // namespace scdcf::ops
