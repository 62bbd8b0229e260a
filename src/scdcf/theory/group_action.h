// The scaling-translation group and its actions on images and features (Section 3.1).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "scdcf/theory/interpolation.h"

namespace scdcf::theory {

/// g = (beta, v): enlarge by 2^beta, then carry the origin to v. Coordinates are pixels from the centre of the image.
struct GroupElement {
  double beta = 0;
  double v_y = 0, v_x = 0;

  /// The scaling that leaves the point (y, x) where it is.
  static GroupElement about(double beta, double y, double x);
  /// The product with D_{gh} = D_g D_h.
  GroupElement operator*(const GroupElement& other) const;
  GroupElement inverse() const;
  /// The same element on a grid with pixels 1/factor as large, as after pooling (factor = 1/2).
  GroupElement on_grid(double factor) const { return {beta, v_y * factor, v_x * factor}; }
};

/// eq. (group-action1): D_{beta,v} x(u) = x(2^-beta (u - v)) on the last two dimensions; zero beyond the border.
/// Bicubic is Catmull-Rom, exact for quadratic images. Differentiable.
at::Tensor act_on_image(const at::Tensor& image, const GroupElement& g,
                        Interpolation interpolation = Interpolation::bicubic);

/// eq. (group-action2): T_{beta,v} x(u, alpha) = x(2^-beta (u - v), alpha - beta) on features [N, C, S, H, W] whose
/// scales lie `step` octaves apart; between grid points linear in alpha. Beyond the fine end the finest scale
/// continues, as in eq. (1st-layer-truncated); beyond the coarse end nothing is known, and the coarsest scale is
/// repeated: see common_scales.
at::Tensor act_on_features(const at::Tensor& features, const GroupElement& g, double step,
                           Interpolation interpolation = Interpolation::bicubic);

/// How many scales, counted from the finest, are defined both in the features of D x and in T of the features of x:
/// those with alpha <= min(T, T + beta).
int64_t common_scales(int64_t scales, double beta, double step);

}  // namespace scdcf::theory
