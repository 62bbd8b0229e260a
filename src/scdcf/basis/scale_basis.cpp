#include "scdcf/basis/scale_basis.h"

#include <cmath>

#include "scdcf/basis/family.h"
#include "scdcf/core/error.h"

namespace scdcf::basis {

ScaleBasis make_scale_basis(int count, int taps) {
  require(taps >= 1 && taps <= 1024, "scale taps L_alpha: got ", taps, ", expected 1 to 1024");
  require(count >= 1 && count <= taps, "scale modes K_alpha: got ", count, ", expected 1 to L_alpha = ", taps);
  const auto sines = make_sine_family(count);
  ScaleBasis basis{count, taps, {}, {}};
  const double norm = std::sqrt(basis.spacing());
  for (int m = 0; m < count; ++m) {
    basis.eigenvalues.push_back(sines->eigenvalue(m));
    for (int t = 0; t < taps; ++t) basis.values.push_back(norm * sines->value(m, -1 + basis.spacing() * (t + 1)));
  }
  return basis;
}

}  // namespace scdcf::basis
