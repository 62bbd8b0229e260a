// The basis on the pixel grid at every scale of a grid (Section 5.2): 2^(-2 alpha) psi_k(2^(-alpha) u).
//
// A mode at scale s is sampled on the (2 r_s + 1)^2 pixels its support touches, times (w_0/w_s)^2, divided by the L2
// norm it has at the finest scale: all coefficients start out equally important, and the sum of a filter does not
// depend on s.
#pragma once

#include <vector>

#include "scdcf/basis/scale_grid.h"
#include "scdcf/basis/spatial_basis.h"

namespace scdcf::basis {

enum class Sampling {
  area,   // the integral over each pixel: anti-aliased, the default
  point,  // the value at each pixel's centre
};

const char* name_of(Sampling sampling);

/// One scale of a sampled basis. Arrays are row-major; L = size().
struct SampledScale {
  int radius = 0;
  std::vector<double> filters;  // [K][L][L]
  std::vector<double> columns;  // [A][L] factors along y; empty when the basis is not separable
  std::vector<double> rows;     // [B][L] factors along x
  int size() const { return 2 * radius + 1; }
};

struct SampledBasis {
  SpatialBasisPtr basis;
  ScaleGrid grid;
  Sampling sampling;
  std::vector<SampledScale> scales;
  /// Discrete L2 norm of every mode at the finest scale, by which it was divided.
  std::vector<double> norms;
  int column_modes = 0, row_modes = 0;  // A and B: how many 1-D factors the modes use; 0 when not separable

  int modes() const { return basis->size(); }
  int largest_radius() const { return scales.back().radius; }
  /// a(k) of eq. (joint-bases) for a coefficient of one in front of sampled mode k. The paper's filter at scale s is
  /// a(k) psi_k(u/h_s)/h_s^2 with h_s the half width, ours psi_k(u/h_s) (w_0/w_s)^2 / norms[k], so
  ///   a(k) = h_0^2 / norms[k].
  double paper_coefficient(int k) const;
};

/// Pixels from the centre that a support of `width` pixels touches: the smallest r with r + 1/2 >= width/2.
int radius_for_width(double width);

/// `max_size`: an odd limit on the filters' size in pixels; larger ones are cropped. 0 means none.
SampledBasis sample_basis(SpatialBasisPtr basis, const ScaleGrid& grid, Sampling sampling = Sampling::area,
                          int max_size = 0);

}  // namespace scdcf::basis
