#include "scdcf/ops/composed.h"

#include <ATen/ATen.h>

#include "scdcf/ops/checks.h"

namespace scdcf::ops {
namespace {

/// What a scale reads: planes, and the set of taps that each is read through.
struct Source {
  int64_t plane, set;
};
std::vector<std::vector<Source>> by_scale(at::IntArrayRef sources, size_t scales) {
  std::vector<std::vector<Source>> result(scales);
  for (size_t j = 0; j + 2 < sources.size(); j += 3)
    result.at(static_cast<size_t>(sources[j])).push_back({sources[j + 1], sources[j + 2]});
  return result;
}

/// The planes a scale reads, side by side as channels: [N, planes * C, H, W].
at::Tensor gather_planes(const at::Tensor& input, const std::vector<Source>& sources) {
  std::vector<at::Tensor> parts;
  for (const auto& source : sources) parts.push_back(input.select(2, source.plane));
  return parts.size() == 1 ? parts.front() : at::cat(parts, 1);
}

/// Filters of one scale, ready for a 2-D convolution over the planes it reads: [O, planes * C, L, L].
at::Tensor compose_filters(const at::Tensor& coefficients, const at::Tensor& taps, const at::Tensor& filters,
                           const std::vector<Source>& sources) {
  const int64_t out = coefficients.size(0), in = coefficients.size(1), modes = coefficients.size(3);
  std::vector<at::Tensor> per_plane;
  for (const auto& source : sources)
    per_plane.push_back(taps.defined() ? (coefficients * taps.select(1, source.set).view({1, 1, -1, 1})).sum(2)
                                       : coefficients.squeeze(2));
  const auto mixed = at::cat(per_plane, 1).reshape({-1, modes});
  return mixed.matmul(filters.view({modes, -1}))
      .view({out, in * static_cast<int64_t>(sources.size()), filters.size(1), filters.size(2)});
}

int64_t radius_of(const at::Tensor& filters) { return (filters.size(1) - 1) / 2; }

int64_t output_size(int64_t size, int64_t largest_radius, const ConvGeometry& geometry) {
  if (geometry.padding == SpatialPadding::none) size -= 2 * largest_radius;
  return (size - 1) / geometry.stride + 1;
}

}  // namespace

const char* name_of(SpatialPadding padding) {
  if (padding == SpatialPadding::zero) return "zero";
  return padding == SpatialPadding::replicate ? "replicate" : "none";
}

at::Tensor tap_table(const at::Tensor& scale_basis, const FilterBank& filters, const TapSets& sets) {
  if (!scale_basis.defined()) return {};
  const int64_t taps = scale_basis.size(1), count = static_cast<int64_t>(sets.sets.size());
  return scale_basis.matmul(filters.constant(sets.membership(taps), {taps, count}, scale_basis.options()));
}

at::Tensor convolve_scale(const at::Tensor& planes, const at::Tensor& weight, int64_t radius, int64_t largest_radius,
                          const ConvGeometry& geometry) {
  const int64_t stride = geometry.stride;
  switch (geometry.padding) {
    case SpatialPadding::zero:
      return at::conv2d(planes, weight, {}, {stride, stride}, {radius, radius});
    case SpatialPadding::replicate:
      return at::conv2d(at::replication_pad2d(planes, {radius, radius, radius, radius}), weight, {}, {stride, stride});
    case SpatialPadding::none:
      break;
  }
  const int64_t crop = largest_radius - radius;
  const auto inner = crop == 0 ? planes : planes.slice(2, crop, -crop).slice(3, crop, -crop);
  return at::conv2d(inner, weight, {}, {stride, stride});
}

int64_t conv_output_size(int64_t size, const FilterBank& filters, const ConvGeometry& geometry) {
  return output_size(size, filters.largest_radius(), geometry);
}

at::Tensor joint_conv_composed(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& scale_basis,
                               const FilterBank& filters, const ScaleSources& sources, const ConvGeometry& geometry) {
  check_joint_conv(input, coefficients, scale_basis, filters, sources, geometry);
  const auto sets = tap_sets(sources);
  return convolve_composed(input, coefficients, tap_table(scale_basis, filters, sets),
                           filters.filters(coefficients.options()), sets.sources, geometry);
}

at::Tensor convolve_composed(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& taps,
                             const std::vector<at::Tensor>& filters, at::IntArrayRef sources,
                             const ConvGeometry& geometry) {
  const int64_t largest = radius_of(filters.back());
  const auto read = by_scale(sources, filters.size());
  std::vector<at::Tensor> scales;
  for (size_t s = 0; s < filters.size(); ++s) {
    if (read[s].empty()) {  // every tap fell beyond the ends of the scale axis
      scales.push_back(at::zeros({input.size(0), coefficients.size(0), output_size(input.size(3), largest, geometry),
                                  output_size(input.size(4), largest, geometry)},
                                 input.options()));
      continue;
    }
    const auto weight = compose_filters(coefficients, taps, filters[s], read[s]);
    scales.push_back(convolve_scale(gather_planes(input, read[s]), weight, radius_of(filters[s]), largest, geometry));
  }
  return at::stack(scales, 2);
}

}  // namespace scdcf::ops
