// Small smooth deformations of the image plane, D_tau x(u) = x(u - tau(u)) (eq. spatial-deformation).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace scdcf::theory {

/// A vector field on a grid, in pixels, with the two numbers that the bounds of Theorem 2 need.
struct Deformation {
  at::Tensor tau;           // [2, H, W], double: (tau_y, tau_x)
  double gradient_sup = 0;  // |grad tau|_inf, the largest operator norm of the Jacobian
  double sup = 0;           // |tau|_inf, the largest Euclidean length
};

/// A random field made of plane waves no shorter than `wavelength` pixels, so smooth to all orders, scaled to the
/// requested |grad tau|_inf. (A3) of the paper asks for less than 1/5. The same seed gives the same field.
Deformation random_deformation(int64_t height, int64_t width, double gradient_sup, uint64_t seed, double wavelength);

/// D_tau on the last two dimensions of an image [N, C, H, W] or features [N, C, S, H, W]; bicubic, zero beyond the
/// border.
at::Tensor deform(const at::Tensor& input, const Deformation& deformation);

}  // namespace scdcf::theory
