// Resizing of maps [N, C, H, W], and convolutions of a resized input.
#pragma once

#include <ATen/core/Tensor.h>

namespace scdcf::nn {

/// Bilinear; the centres of both grids coincide, no anti-aliasing.
at::Tensor resize_to(const at::Tensor& maps, int64_t height, int64_t width);
/// round(factor * size) pixels, at least one.
int64_t resized_size(int64_t size, double factor);
/// By a factor, to resized_size pixels a side.
at::Tensor resize_by(const at::Tensor& maps, double factor);

/// What a kernel 1/factor times as large would see: the input resized by `factor`, convolved "same" with `weight`
/// [O, C, L, L], resized back to the grid of the input. `bias` may be undefined. The definition, which judges
/// MultiScaleConvolution: that one is many times faster.
at::Tensor convolve_resized(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias, double factor);

}  // namespace scdcf::nn
