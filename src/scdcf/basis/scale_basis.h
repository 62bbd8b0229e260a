// The basis phi_m in scale (eq. def-fb), sampled on the taps of a joint filter.
#pragma once

#include <cstddef>
#include <vector>

namespace scdcf::basis {

/// phi_m at the L_alpha interior points -1 + 2(t+1)/(L_alpha+1): the sines vanish at the ends of [-1, 1], so the ends
/// are not taps. The rows are orthonormal, and complete for count = taps.
struct ScaleBasis {
  int count;                        // K_alpha
  int taps;                         // L_alpha
  std::vector<double> values;       // [count][taps]
  std::vector<double> eigenvalues;  // nu_m = (m pi/2)^2, m = 1..count

  double value(int m, int t) const {
    return values[static_cast<size_t>(m) * static_cast<size_t>(taps) + static_cast<size_t>(t)];
  }
  /// The distance of two taps on [-1, 1]: sums over taps times this are the paper's integrals over alpha'.
  double spacing() const { return 2.0 / (taps + 1); }
};

/// 1 <= count <= taps.
ScaleBasis make_scale_basis(int count, int taps);

}  // namespace scdcf::basis
