#include "scdcf/ops/composed.h"

#include <ATen/ATen.h>

#include "scdcf/core/error.h"
#include "scdcf/ops/checks.h"

namespace scdcf::ops {
namespace {

/// The planes a scale reads, side by side as channels: [N, planes * C, H, W].
at::Tensor gather_planes(const at::Tensor& input, const std::vector<PlaneTaps>& planes) {
  std::vector<at::Tensor> parts;
  for (const auto& plane : planes) parts.push_back(input.select(2, plane.plane));
  return parts.size() == 1 ? parts.front() : at::cat(parts, 1);
}

}  // namespace

const char* name_of(SpatialPadding padding) {
  switch (padding) {
    case SpatialPadding::zero:
      return "zero";
    case SpatialPadding::replicate:
      return "replicate";
    case SpatialPadding::none:
      break;
  }
  return "none";
}

at::Tensor compose_filters(const at::Tensor& coefficients, const at::Tensor& scale_basis, const at::Tensor& filters,
                           const std::vector<PlaneTaps>& planes) {
  const int64_t out = coefficients.size(0), in = coefficients.size(1), modes = coefficients.size(3);
  std::vector<at::Tensor> per_plane;
  for (const auto& plane : planes) {
    // Taps on the same plane follow each other, and add up before they meet the filters.
    const auto phi = scale_basis.narrow(1, plane.taps.front(), static_cast<int64_t>(plane.taps.size())).sum(1);
    per_plane.push_back((coefficients * phi.view({1, 1, -1, 1})).sum(2));
  }
  const auto mixed = at::cat(per_plane, 1).reshape({-1, modes});
  return mixed.matmul(filters.view({modes, -1}))
      .view({out, in * static_cast<int64_t>(planes.size()), filters.size(1), filters.size(2)});
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
  const auto inner = planes.narrow(2, crop, planes.size(2) - 2 * crop).narrow(3, crop, planes.size(3) - 2 * crop);
  return at::conv2d(inner, weight, {}, {stride, stride});
}

int64_t conv_output_size(int64_t size, const FilterBank& filters, const ConvGeometry& geometry) {
  if (geometry.padding == SpatialPadding::none) size -= 2 * filters.largest_radius();
  return (size - 1) / geometry.stride + 1;
}

at::Tensor joint_conv_composed(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& scale_basis,
                               const FilterBank& filters, const ScaleSources& sources, const ConvGeometry& geometry) {
  check_joint_conv(input, coefficients, scale_basis, filters, sources, geometry);
  const auto bank = filters.filters(coefficients.options());
  std::vector<at::Tensor> scales;
  for (size_t s = 0; s < sources.size(); ++s) {
    if (sources[s].empty()) {  // every tap fell beyond the ends of the scale axis
      scales.push_back(
          at::zeros({input.size(0), coefficients.size(0), conv_output_size(input.size(3), filters, geometry),
                     conv_output_size(input.size(4), filters, geometry)},
                    input.options()));
      continue;
    }
    const auto weight = compose_filters(coefficients, scale_basis, bank[s], sources[s]);
    scales.push_back(convolve_scale(gather_planes(input, sources[s]), weight, filters.radius(static_cast<int64_t>(s)),
                                    filters.largest_radius(), geometry));
  }
  return at::stack(scales, 2);
}

at::Tensor joint_conv_transpose_composed(const at::Tensor& input, const at::Tensor& coefficients,
                                         const at::Tensor& scale_basis, const FilterBank& filters,
                                         const ScaleSources& sources, int64_t stride) {
  check_joint_conv(input, coefficients, scale_basis, filters, sources, {stride, SpatialPadding::zero});
  const auto bank = filters.filters(coefficients.options());
  std::vector<at::Tensor> scales;
  for (size_t s = 0; s < sources.size(); ++s) {
    if (sources[s].empty()) {
      scales.push_back(at::zeros({input.size(0), coefficients.size(0), input.size(3) * stride, input.size(4) * stride},
                                 input.options()));
      continue;
    }
    const auto weight = compose_filters(coefficients, scale_basis, bank[s], sources[s]).transpose(0, 1);
    const int64_t radius = filters.radius(static_cast<int64_t>(s));
    scales.push_back(at::conv_transpose2d(gather_planes(input, sources[s]), weight, {}, {stride, stride},
                                          {radius, radius}, {stride - 1, stride - 1}));
  }
  return at::stack(scales, 2);
}

}  // namespace scdcf::ops
