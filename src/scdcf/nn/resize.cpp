#include "scdcf/nn/resize.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"

namespace scdcf::nn {
namespace {

void check_maps(const at::Tensor& maps, const char* name) {
  require(maps.dim() == 4, name, ": input: got shape ", maps.sizes(), ", expected maps [N, C, H, W]");
}

}  // namespace

int64_t resized_size(int64_t size, double factor) {
  return std::max<int64_t>(1, std::llround(static_cast<double>(size) * factor));
}

at::Tensor resize_to(const at::Tensor& maps, int64_t height, int64_t width) {
  check_maps(maps, "resize_to");
  require(height >= 1 && width >= 1, "resize_to: got ", height, " x ", width, " pixels, expected at least 1 x 1");
  if (maps.size(2) == height && maps.size(3) == width) return maps;
  return at::upsample_bilinear2d(maps, {height, width}, /*align_corners=*/false);
}

at::Tensor resize_by(const at::Tensor& maps, double factor) {
  check_maps(maps, "resize_by");
  require(std::isfinite(factor) && factor > 0, "resize_by: factor: got ", factor, ", expected a positive number");
  return resize_to(maps, resized_size(maps.size(2), factor), resized_size(maps.size(3), factor));
}

at::Tensor convolve_resized(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias, double factor) {
  const int64_t padding = weight.size(2) / 2;
  const auto response = at::conv2d(resize_by(input, factor), weight, bias, 1, padding);
  return resize_to(response, input.size(2), input.size(3));
}

}  // namespace scdcf::nn
