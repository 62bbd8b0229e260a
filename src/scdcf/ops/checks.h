// Argument checks: one function for each operator, called by every backend before it touches an argument, and one for
// all forms of the joint convolution, so that all of them fail with the same words. Sizes are symbolic where a tracer's
// are; tensors without data are checked like those with.
#pragma once

#include <c10/core/SymInt.h>

#include <vector>

#include "scdcf/ops/composed.h"
#include "scdcf/ops/norm_relu_pool.h"
#include "scdcf/ops/separable.h"

namespace scdcf::ops {

/// What a convolution with these coefficients [O, C, ...] asks of its input [N, C, H, W] or [N, C, S, H, W]; `inset`
/// pixels at each border are used up.
void check_conv_input(const char* name, const at::Tensor& input, const at::Tensor& coefficients, int64_t inset);

void check_joint_conv(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& scale_basis,
                      const FilterBank& filters, const ScaleSources& sources, const ConvGeometry& geometry);

using Sizes = std::vector<c10::SymInt>;

/// Each returns the sizes of the operator's result, which are those of `grad` in its backward.
Sizes check_separable_joint_conv(const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
                                 const SeparableArguments& arguments, const char* op = "separable_joint_conv");
Sizes check_separable_joint_conv_backward(const at::Tensor& grad, const at::Tensor& input, const at::Tensor& mixing,
                                          const at::Tensor& factors, const SeparableArguments& arguments);
Sizes check_norm_relu_pool(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                           const at::Tensor& running_mean, const at::Tensor& running_var, const NormSettings& settings,
                           const AveragePool& pool);
Sizes check_norm_relu_pool_backward(const at::Tensor& grad, const at::Tensor& input, const at::Tensor& weight,
                                    const at::Tensor& bias, const at::Tensor& mean, const at::Tensor& invstd,
                                    const AveragePool& pool);

}  // namespace scdcf::ops
