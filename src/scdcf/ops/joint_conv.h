// The joint convolution, in whichever form is cheapest.
#pragma once

#include "scdcf/ops/composed.h"
#include "scdcf/ops/cost.h"

namespace scdcf::ops {

enum class Algorithm {
  automatic,  // what the cost model predicts to be faster
  composed,   // filters composed, then convolved
  separable,  // row pass, matrix product, column pass; only for separable bases
};

const char* name_of(Algorithm algorithm);

/// joint_conv_composed or joint_conv_separable; ops/composed.h says what an undefined scale basis stands for.
at::Tensor joint_conv(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& scale_basis,
                      const FilterBank& filters, const TapSets& sources, const ConvGeometry& geometry,
                      Algorithm algorithm = Algorithm::automatic);

/// The layer as the cost model sees it.
ConvShape conv_shape(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& scale_basis,
                     const FilterBank& filters, const ConvGeometry& geometry);

/// What `automatic` stands for: composed where the basis is not separable, where the kernels have no fast path for the
/// type and device, and where the cost model says so. It is the same for images of all sizes.
Algorithm choose_algorithm(const ConvShape& shape, const FilterBank& filters, const TapSets& sources, bool cuda,
                           at::ScalarType type);
Algorithm choose_algorithm(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& scale_basis,
                           const FilterBank& filters, const TapSets& sources, const ConvGeometry& geometry);

}  // namespace scdcf::ops
