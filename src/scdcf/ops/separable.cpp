#include "scdcf/ops/separable.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <map>

#include "scdcf/core/error.h"
#include "scdcf/ops/checks.h"

namespace scdcf::ops {
namespace {

/// The distinct sets of taps that fall on one plane, each of which becomes a mixing matrix, and who uses which.
struct MixingSets {
  std::vector<std::vector<int64_t>> tap_sets;
  std::vector<int64_t> sources;  // scale, plane, mixing
};

MixingSets plan_mixing(const ScaleSources& sources) {
  MixingSets plan;
  std::map<std::vector<int64_t>, int64_t> numbers;
  for (size_t s = 0; s < sources.size(); ++s)
    for (const auto& plane : sources[s]) {
      const auto [place, is_new] = numbers.emplace(plane.taps, static_cast<int64_t>(plan.tap_sets.size()));
      if (is_new) plan.tap_sets.push_back(plane.taps);
      plan.sources.insert(plan.sources.end(), {static_cast<int64_t>(s), plane.plane, place->second});
    }
  return plan;
}

/// mixing[g, k, c, o] = sum over taps t of set g and scale modes m of phi_m[t] a[o, c, m, k].
at::Tensor make_mixing(const at::Tensor& coefficients, const at::Tensor& scale_basis, const FilterBank& filters,
                       const MixingSets& plan) {
  const auto sets = static_cast<int64_t>(plan.tap_sets.size());
  std::vector<double> membership(static_cast<size_t>(scale_basis.size(1) * sets), 0.0);  // [T, G]
  for (int64_t g = 0; g < sets; ++g)
    for (const int64_t tap : plan.tap_sets[static_cast<size_t>(g)]) membership[static_cast<size_t>(tap * sets + g)] = 1;
  const auto phi = scale_basis.matmul(filters.constant(membership, {scale_basis.size(1), sets}, scale_basis.options()));
  // [O, C, M, K] -> [G, K, C, O], contracted over M as one small matrix product.
  const auto ordered = coefficients.permute({2, 3, 1, 0}).reshape({coefficients.size(2), -1});
  return phi.t().matmul(ordered).view({phi.size(1), coefficients.size(3), coefficients.size(1), coefficients.size(0)});
}

}  // namespace

at::Tensor joint_conv_separable(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& scale_basis,
                                const FilterBank& filters, const ScaleSources& sources, const ConvGeometry& geometry) {
  check_joint_conv(input, coefficients, scale_basis, filters, sources, geometry);
  const auto& sampled = filters.sampled();
  require(sampled.basis->is_separable(), "separable convolution: basis: got \"", sampled.basis->name(),
          "\", expected a separable one");
  const auto plan = plan_mixing(sources);
  SeparableArguments arguments{{},
                               {},
                               plan.sources,
                               sampled.column_modes,
                               sampled.row_modes,
                               geometry.stride,
                               static_cast<int64_t>(geometry.padding)};
  for (const auto& mode : sampled.basis->modes()) {
    arguments.modes.push_back(mode.column);
    arguments.modes.push_back(mode.row);
  }
  for (const auto& scale : sampled.scales) arguments.radii.push_back(scale.radius);
  return separable_joint_conv(input, make_mixing(coefficients, scale_basis, filters, plan),
                              filters.factors(coefficients.options()), arguments);
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
