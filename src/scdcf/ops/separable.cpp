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
struct MixingPlan {
  std::vector<std::vector<int64_t>> tap_sets;
  std::vector<int64_t> sources;  // scale, plane, mixing
};

MixingPlan plan_mixing(const ScaleSources& sources) {
  MixingPlan plan;
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
                       const MixingPlan& plan) {
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

SeparableProblem make_problem(const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
                              at::IntArrayRef modes, at::IntArrayRef radii, at::IntArrayRef sources,
                              int64_t column_modes, int64_t row_modes, int64_t stride, int64_t padding) {
  const char* name = "separable_joint_conv";
  require(input.dim() == 5, name, ": input: got shape ", input.sizes(), ", expected [N, C, P, H, W]");
  require(mixing.dim() == 4 && mixing.size(2) == input.size(1), name, ": mixing: got shape ", mixing.sizes(),
          ", expected [G, K, ", input.size(1), ", O]");
  require(mixing.device() == input.device() && factors.device() == input.device(), name, ": got tensors on ",
          input.device(), ", ", mixing.device(), " and ", factors.device(), ", expected one device");
  require(mixing.scalar_type() == factors.scalar_type(), name, ": factors: got type ", factors.scalar_type(),
          ", expected the mixing's type ", mixing.scalar_type());
  require(static_cast<int64_t>(modes.size()) == 2 * mixing.size(1), name, ": modes: got ", modes.size(),
          " numbers, expected a column and a row for each of ", mixing.size(1), " modes");
  require(!radii.empty(), name, ": radii: got none, expected one for every output scale");
  require(sources.size() % 3 == 0, name, ": sources: got ", sources.size(), " numbers, expected a multiple of 3");
  require(stride == 1 || stride == 2, name, ": stride: got ", stride, ", expected 1 or 2");
  require(padding >= 0 && padding <= 2, name, ": padding: got ", padding, ", expected 0, 1 or 2");

  SeparableProblem problem;
  problem.batch = input.size(0);
  problem.in_channels = input.size(1);
  problem.planes = input.size(2);
  problem.in_height = input.size(3);
  problem.in_width = input.size(4);
  problem.mixings = mixing.size(0);
  problem.out_channels = mixing.size(3);
  problem.stride = stride;
  problem.padding = static_cast<PadMode>(padding);
  problem.column_modes = column_modes;
  problem.row_modes = row_modes;
  for (size_t k = 0; k + 1 < modes.size(); k += 2) {
    require(modes[k] >= 0 && modes[k] < column_modes && modes[k + 1] >= 0 && modes[k + 1] < row_modes, name,
            ": modes: got (", modes[k], ", ", modes[k + 1], "), expected factors below ", column_modes, " and ",
            row_modes);
    problem.modes.push_back({static_cast<int32_t>(modes[k]), static_cast<int32_t>(modes[k + 1])});
  }
  int64_t largest = 0, offset = 0;
  size_t next = 0;
  for (size_t s = 0; s < radii.size(); ++s) {
    require(radii[s] >= 0 && radii[s] < 4096, name, ": radii: got ", radii[s], ", expected 0 to 4095");
    largest = std::max(largest, radii[s]);
    const int64_t size = 2 * radii[s] + 1;
    ScaleEntry entry{static_cast<int32_t>(radii[s]), static_cast<int32_t>(offset),
                     static_cast<int32_t>(offset + column_modes * size), static_cast<int32_t>(next / 3), 0};
    offset += (column_modes + row_modes) * size;
    for (; next < sources.size() && sources[next] == static_cast<int64_t>(s); next += 3) {
      require(sources[next + 1] >= 0 && sources[next + 1] < problem.planes, name, ": sources: got plane ",
              sources[next + 1], ", expected one of the input's ", problem.planes);
      require(sources[next + 2] >= 0 && sources[next + 2] < problem.mixings, name, ": sources: got mixing ",
              sources[next + 2], ", expected one of ", problem.mixings);
      problem.sources.push_back({static_cast<int32_t>(sources[next + 1]), static_cast<int32_t>(sources[next + 2])});
    }
    entry.source_end = static_cast<int32_t>(next / 3);
    problem.scales.push_back(entry);
  }
  require(next == sources.size(), name, ": sources: got one for scale ", next < sources.size() ? sources[next] : 0,
          " out of order, expected them sorted by scale");
  require(factors.numel() == offset, name, ": factors: got ", factors.numel(), " numbers, expected ", offset);
  problem.factor_count = offset;
  const int64_t inset = problem.padding == PadMode::none ? largest : 0;
  problem.origin = inset;
  require(problem.in_height > 2 * inset && problem.in_width > 2 * inset, name, ": input: got ", problem.in_height,
          " x ", problem.in_width, " pixels, expected at least ", 2 * inset + 1, " x ", 2 * inset + 1);
  problem.out_height = (problem.in_height - 2 * inset - 1) / stride + 1;
  problem.out_width = (problem.in_width - 2 * inset - 1) / stride + 1;
  return problem;
}

}  // namespace scdcf::ops
