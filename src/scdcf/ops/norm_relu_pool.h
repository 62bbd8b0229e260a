// Batch-norm, ReLU and average pooling in one operator: the maps of a scale network are large, and each of the three by
// itself is a pass over them.
#pragma once

#include <ATen/core/Tensor.h>

#include <tuple>

#include "scdcf/ops/norm_relu_pool_problem.h"

namespace scdcf::ops {

/// A square window in space; its padding is not counted in the average. Window 1 leaves the maps as they are.
struct AveragePool {
  int64_t window = 1, stride = 1, padding = 0;
};

/// y = avgpool(relu(batchnorm(x))): x [N, C, S, H, W] with one mean and variance per channel over (N, S, H, W), or
/// [N, C, H, W]; weight, bias and the running statistics [C]; y [N, C, (S,) H', W'], stored channels-last.
/// Where settings.keeps_zero, y is less what the same makes of maps that are zero: zero stays zero, from layer to
/// layer. Training updates the running statistics in place, as torch's batch-norm does (unbiased variance). The
/// backward keeps x and two numbers per channel, and recomputes the rest.
at::Tensor norm_relu_pool(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                          const at::Tensor& running_mean, const at::Tensor& running_var, const NormSettings& settings,
                          const AveragePool& pool = {});

/// The registered operator scdcf::norm_relu_pool: the same, with the mean and 1 / sqrt(variance + eps) that were used,
/// [C] in double.
std::tuple<at::Tensor, at::Tensor, at::Tensor> norm_relu_pool_with_statistics(
    const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& running_mean,
    const at::Tensor& running_var, const NormSettings& settings, const AveragePool& pool);

/// Describes the problem to a kernel; `result` is what check_norm_relu_pool (ops/checks.h) returned.
NormPoolProblem make_norm_pool_problem(const at::Tensor& input, const AveragePool& pool, bool keeps_zero,
                                       c10::SymIntArrayRef result);

}  // namespace scdcf::ops
