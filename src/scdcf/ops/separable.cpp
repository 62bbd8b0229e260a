#include "scdcf/ops/separable.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>

#include "scdcf/core/error.h"
#include "scdcf/ops/checks.h"

namespace scdcf::ops {

SeparableArguments separable_arguments(const basis::SampledBasis& sampled, const TapSets& sets,
                                       const ConvGeometry& geometry) {
  SeparableArguments arguments{{},
                               {},
                               sets.sources,
                               sampled.column_modes,
                               sampled.row_modes,
                               geometry.stride,
                               static_cast<int64_t>(geometry.padding)};
  for (const auto& mode : sampled.basis->modes()) {
    arguments.modes.push_back(mode.column);
    arguments.modes.push_back(mode.row);
  }
  for (const auto& scale : sampled.scales) arguments.radii.push_back(scale.radius);
  return arguments;
}

at::Tensor mixing_matrices(const at::Tensor& coefficients, const at::Tensor& taps) {
  // [O, C, M, K] -> [G, K, C, O], contracted over M.
  const auto ordered = coefficients.permute({2, 3, 1, 0});
  if (!taps.defined()) return ordered.contiguous();
  // As a matrix product it would be of 3 x 3 numbers or so by very many: cuBLAS takes tiles of 128 x 128 for that, and
  // rounds to TF32 where it may.
  if (coefficients.is_cuda())
    return (ordered.contiguous().unsqueeze(0) * taps.t().unsqueeze(2).unsqueeze(3).unsqueeze(4)).sum(1);
  return taps.t()
      .matmul(ordered.flatten(1))
      .view_symint({taps.sym_size(1), ordered.sym_size(1), ordered.sym_size(2), ordered.sym_size(3)});
}

at::Tensor joint_conv_separable(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& scale_basis,
                                const FilterBank& filters, const TapSets& sources, const ConvGeometry& geometry) {
  check_joint_conv(input, coefficients, scale_basis, filters, sources, geometry);
  const auto& sampled = filters.sampled();
  require(sampled.basis->is_separable(), "separable convolution: basis: got \"", sampled.basis->name(),
          "\", expected a separable one");
  return separable_joint_conv(input, mixing_matrices(coefficients, tap_table(scale_basis, sources)),
                              filters.factors().like(coefficients), separable_arguments(sampled, sources, geometry));
}

at::Tensor separable_joint_conv(const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
                                const SeparableArguments& a) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("scdcf::separable_joint_conv", "")
                             .typed<at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&, at::IntArrayRef,
                                               at::IntArrayRef, at::IntArrayRef, int64_t, int64_t, int64_t, int64_t)>();
  return op.call(input, mixing, factors, a.modes, a.radii, a.sources, a.column_modes, a.row_modes, a.stride, a.padding);
}

SeparableProblem make_problem(const at::Tensor& input, const at::Tensor& mixing, const SeparableArguments& a,
                              c10::SymIntArrayRef result) {
  SeparableProblem problem;
  problem.batch = input.size(0);
  problem.in_channels = input.size(1);
  problem.planes = input.size(2);
  problem.in_height = input.size(3);
  problem.in_width = input.size(4);
  problem.out_height = result[3].expect_int();
  problem.out_width = result[4].expect_int();
  problem.mixings = mixing.size(0);
  problem.out_channels = mixing.size(3);
  problem.stride = a.stride;
  problem.padding = static_cast<PadMode>(a.padding);
  problem.column_modes = a.column_modes;
  problem.row_modes = a.row_modes;
  for (size_t k = 0; k < a.modes.size(); k += 2)
    problem.modes.push_back({static_cast<int32_t>(a.modes[k]), static_cast<int32_t>(a.modes[k + 1])});
  for (size_t j = 0; j < a.sources.size(); j += 3)
    problem.sources.push_back({static_cast<int32_t>(a.sources[j + 1]), static_cast<int32_t>(a.sources[j + 2])});
  size_t next = 0;
  for (size_t s = 0; s < a.radii.size(); ++s) {
    const int64_t taps = 2 * a.radii[s] + 1, offset = problem.factor_count;
    const auto begin = static_cast<int32_t>(next / 3);
    while (next < a.sources.size() && a.sources[next] == static_cast<int64_t>(s)) next += 3;
    problem.scales.push_back({static_cast<int32_t>(a.radii[s]), static_cast<int32_t>(offset),
                              static_cast<int32_t>(offset + a.column_modes * taps), begin,
                              static_cast<int32_t>(next / 3)});
    problem.factor_count += (a.column_modes + a.row_modes) * taps;
    if (problem.padding == PadMode::none) problem.origin = std::max(problem.origin, a.radii[s]);
  }
  return problem;
}

}  // namespace scdcf::ops
