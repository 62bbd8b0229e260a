// Resizing of maps [N, C, H, W], and the definition of a convolution of a resized input.
#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

namespace scdcf::testing {

/// Bilinear; the centres of both grids coincide, no anti-aliasing.
inline torch::Tensor resize_to(const torch::Tensor& maps, int64_t height, int64_t width) {
  if (maps.size(2) == height && maps.size(3) == width) return maps;
  return torch::upsample_bilinear2d(maps, {height, width}, /*align_corners=*/false);
}

/// The input resized by `factor`, convolved "same" with `weight` [O, C, L, L], resized back to the grid of the input.
inline torch::Tensor convolve_resized(const torch::Tensor& input, const torch::Tensor& weight,
                                      const torch::Tensor& bias, double factor) {
  const auto resized = [&](int64_t size) {
    return std::max<int64_t>(1, std::llround(static_cast<double>(size) * factor));
  };
  const auto seen = resize_to(input, resized(input.size(2)), resized(input.size(3)));
  return resize_to(torch::conv2d(seen, weight, bias, 1, weight.size(2) / 2), input.size(2), input.size(3));
}

}  // namespace scdcf::testing
