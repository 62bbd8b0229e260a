#include "scdcf/verify/test_images.h"

#include <ATen/ATen.h>

#include <cmath>
#include <random>

namespace scdcf::verify {

at::Tensor soft_strokes(int64_t count, int64_t size, uint64_t seed, double softness) {
  constexpr int kStrokes = 7;
  constexpr double kPi = 3.14159265358979323846;
  std::mt19937_64 engine(seed);
  const auto uniform = [&engine](double lo, double hi) {
    return lo + (hi - lo) * static_cast<double>(engine() >> 11) * 0x1.0p-53;
  };
  // Coordinates of pixel centres, the canvas being [-1, 1]^2.
  const auto axis = (at::arange(size, at::kDouble) + 0.5) * (2.0 / static_cast<double>(size)) - 1;
  const auto y = axis.view({-1, 1}), x = axis.view({1, -1});
  std::vector<at::Tensor> images;
  for (int64_t n = 0; n < count; ++n) {
    auto image = at::zeros({size, size}, at::kDouble);
    for (int i = 0; i < kStrokes; ++i) {
      const double cy = uniform(-0.3, 0.3) / softness, cx = uniform(-0.3, 0.3) / softness, angle = uniform(0, kPi);
      const double length = uniform(0.08, 0.16) * softness, thickness = uniform(0.03, 0.06) * softness,
                   strength = uniform(0.5, 1);
      const auto along = (y - cy) * std::sin(angle) + (x - cx) * std::cos(angle);
      const auto across = (y - cy) * std::cos(angle) - (x - cx) * std::sin(angle);
      image += strength * at::exp(-(along / length).square() / 2 - (across / thickness).square() / 2);
    }
    images.push_back(image);
  }
  return at::stack(images).unsqueeze(1).to(at::kFloat);
}

}  // namespace scdcf::verify
