// Interpolation between pixels: weights of the four samples around a point.
#pragma once

#include <array>

namespace scdcf::theory {

enum class Interpolation { bilinear, bicubic };

/// Weights of the samples at distances -1, 0, 1, 2 from the sample left of the point, which lies t in [0, 1) behind it.
/// Bicubic is Catmull-Rom: exact for quadratics, where the cubic kernel of LibTorch's samplers (a = -0.75) is not even
/// exact for linear functions.
inline std::array<double, 4> interpolation_weights(double t, Interpolation interpolation) {
  if (interpolation == Interpolation::bilinear) return {0, 1 - t, t, 0};
  return {((-0.5 * t + 1) * t - 0.5) * t, (1.5 * t - 2.5) * t * t + 1, ((-1.5 * t + 2) * t + 0.5) * t,
          (0.5 * t - 0.5) * t * t};
}

}  // namespace scdcf::theory
