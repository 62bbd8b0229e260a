#include "scdcf/ops/joint_conv.h"

#include <ATen/ATen.h>

#include "scdcf/ops/checks.h"
#include "scdcf/ops/separable.h"

namespace scdcf::ops {

const char* name_of(Algorithm algorithm) {
  if (algorithm == Algorithm::automatic) return "automatic";
  return algorithm == Algorithm::composed ? "composed" : "separable";
}

ConvShape conv_shape(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& scale_basis,
                     const FilterBank& filters, const ConvGeometry& geometry) {
  ConvShape shape;
  shape.out_height = conv_output_size(input.size(3), filters, geometry);
  shape.out_width = conv_output_size(input.size(4), filters, geometry);
  shape.in_channels = coefficients.size(1);
  shape.out_channels = coefficients.size(0);
  shape.scale_modes = coefficients.size(2);
  shape.modes = coefficients.size(3);
  shape.scale_taps = scale_basis.defined() ? scale_basis.size(1) : 1;
  shape.column_modes = filters.sampled().column_modes;
  shape.row_modes = filters.sampled().row_modes;
  for (int64_t s = 0; s < filters.scales(); ++s) shape.kernel_sizes.push_back(2 * filters.radius(s) + 1);
  return shape;
}

Algorithm choose_algorithm(const ConvShape& shape, const FilterBank& filters, const TapSets& sources, bool cuda,
                           at::ScalarType type) {
  if (!filters.sampled().basis->is_separable()) return Algorithm::composed;
  // The kernels have plain loops for double on a GPU, and limits on the size of the problem there.
  if (cuda) {
    const size_t planes_read = sources.sources.size() / 3;
    if (type == at::kDouble || filters.scales() > 32 || planes_read > 160 || filters.modes() > 64 ||
        filters.sampled().column_modes > 8)
      return Algorithm::composed;
  }
  return predicted_separable_time(shape) < predicted_composed_time(shape) ? Algorithm::separable : Algorithm::composed;
}

Algorithm choose_algorithm(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& scale_basis,
                           const FilterBank& filters, const TapSets& sources, const ConvGeometry& geometry) {
  return choose_algorithm(conv_shape(input, coefficients, scale_basis, filters, geometry), filters, sources,
                          input.is_cuda(), input.scalar_type());
}

at::Tensor joint_conv(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& scale_basis,
                      const FilterBank& filters, const TapSets& sources, const ConvGeometry& geometry,
                      Algorithm algorithm) {
  check_joint_conv(input, coefficients, scale_basis, filters, sources, geometry);
  if (algorithm == Algorithm::automatic)
    algorithm = choose_algorithm(input, coefficients, scale_basis, filters, sources, geometry);
  return algorithm == Algorithm::separable
             ? joint_conv_separable(input, coefficients, scale_basis, filters, sources, geometry)
             : joint_conv_composed(input, coefficients, scale_basis, filters, sources, geometry);
}

}  // namespace scdcf::ops
