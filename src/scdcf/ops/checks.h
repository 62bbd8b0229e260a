// Argument checks shared by every form of the joint convolution, so that all of them fail with the same words.
#pragma once

#include "scdcf/ops/composed.h"

namespace scdcf::ops {

void check_joint_conv(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& scale_basis,
                      const FilterBank& filters, const ScaleSources& sources, const ConvGeometry& geometry);

}  // namespace scdcf::ops
