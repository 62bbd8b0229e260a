// The paper's own counts of parameters and operations (Section 3.2, Proposition 1), L the largest kernel.
#pragma once

#include <algorithm>

#include "scdcf/ops/cost.h"

namespace scdcf::testing {

/// All scales with the same kernel, as in the paper.
inline ops::ConvShape uniform_shape(int64_t height, int64_t width, int64_t scales, int64_t kernel, int64_t taps,
                                    int64_t in, int64_t out, int64_t modes, int64_t scale_modes) {
  ops::ConvShape shape;
  shape.out_height = height;
  shape.out_width = width;
  shape.in_channels = in;
  shape.out_channels = out;
  shape.modes = modes;
  shape.scale_modes = scale_modes;
  shape.scale_taps = taps;
  shape.kernel_sizes.assign(static_cast<size_t>(scales), kernel);
  return shape;
}

inline int64_t largest_kernel(const ops::ConvShape& shape) {
  return *std::max_element(shape.kernel_sizes.begin(), shape.kernel_sizes.end());
}

/// L^2 L_alpha M' M without, K K_alpha M' M with the decomposition.
inline int64_t dense_parameters(const ops::ConvShape& shape) {
  const int64_t kernel = largest_kernel(shape);
  return kernel * kernel * shape.scale_taps * shape.in_channels * shape.out_channels;
}
inline int64_t decomposed_parameters(const ops::ConvShape& shape) {
  return shape.modes * shape.scale_modes * shape.in_channels * shape.out_channels;
}

/// Multiply-adds per pixel and scale with the decomposition.
inline int64_t decomposed_multiply_adds(const ops::ConvShape& shape) {
  const int64_t joint_modes = shape.modes * shape.scale_modes, kernel = largest_kernel(shape);
  return shape.in_channels *
         (shape.scale_taps * shape.scale_modes + kernel * kernel * joint_modes + joint_modes * shape.out_channels);
}

/// eq. (flops-regular)
inline int64_t paper_regular_flops(const ops::ConvShape& shape) {
  const int64_t kernel = largest_kernel(shape), scales = static_cast<int64_t>(shape.kernel_sizes.size());
  return shape.out_height * shape.out_width * scales * shape.out_channels *
         (2 * kernel * kernel * shape.scale_taps * shape.in_channels + shape.scale_taps * shape.in_channels +
          shape.in_channels + 2);
}

/// eq. (flops-sdcfnet)
inline int64_t paper_scdcf_flops(const ops::ConvShape& shape) {
  const int64_t kernel = largest_kernel(shape), scales = static_cast<int64_t>(shape.kernel_sizes.size());
  const int64_t joint_modes = shape.modes * shape.scale_modes;
  return 2 * shape.out_height * shape.out_width * scales *
         (joint_modes * shape.in_channels * shape.out_channels + shape.out_channels +
          kernel * kernel * shape.in_channels * joint_modes + shape.scale_taps * shape.scale_modes * shape.in_channels);
}

}  // namespace scdcf::testing
