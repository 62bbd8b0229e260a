// The separable joint convolution: row pass, matrix product, column pass (docs/algorithm.md). Exact, and far cheaper
// than composed filters.
#pragma once

#include <ATen/core/Tensor.h>

#include "scdcf/ops/composed.h"
#include "scdcf/ops/separable_problem.h"

namespace scdcf::ops {

/// The same function of its arguments as joint_conv_composed, for a separable basis. The result is stored
/// channels-last.
at::Tensor joint_conv_separable(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& scale_basis,
                                const FilterBank& filters, const TapSets& sources, const ConvGeometry& geometry);

/// The registered operator scdcf::separable_joint_conv, on plain numbers: see separable_problem.h for their meaning.
struct SeparableArguments {
  std::vector<int64_t> modes;    // column and row factor of each mode: [2 K]
  std::vector<int64_t> radii;    // of each output scale
  std::vector<int64_t> sources;  // output scale, plane, mixing matrix of each source, by scale: [3 J]
  int64_t column_modes, row_modes, stride, padding;
};
SeparableArguments separable_arguments(const basis::SampledBasis& sampled, const TapSets& sets,
                                       const ConvGeometry& geometry);

/// mixing[g, k, c, o] = sum over scale modes m of taps[m, g] a[o, c, m, k], with `taps` of tap_table, or a itself
/// where these are undefined.
at::Tensor mixing_matrices(const at::Tensor& coefficients, const at::Tensor& taps);

/// input [N, C, P, H, W], mixing [G, K, C, O], factors packed as FilterBank::factors: [N, O, S, H', W'].
at::Tensor separable_joint_conv(const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
                                const SeparableArguments& arguments);

/// Describes the problem to a kernel; `result` is what check_separable_joint_conv (ops/checks.h) returned.
SeparableProblem make_problem(const at::Tensor& input, const at::Tensor& mixing, const SeparableArguments& arguments,
                              c10::SymIntArrayRef result);

}  // namespace scdcf::ops
