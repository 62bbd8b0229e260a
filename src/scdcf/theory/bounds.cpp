#include "scdcf/theory/bounds.h"

#include <cmath>

#include "scdcf/core/error.h"

namespace scdcf::theory {

double theorem2_bound(const BoundTerms& terms) {
  require(terms.layers >= 1, "bound: layers: got ", terms.layers, ", expected at least 1");
  require(terms.gradient_sup >= 0 && terms.gradient_sup < 0.2, "bound: |grad tau|: got ", terms.gradient_sup,
          ", expected at least 0 and below 1/5 (assumption A3)");
  require(terms.finest_half_width > 0, "bound: finest_half_width: got ", terms.finest_half_width,
          ", expected more than 0");
  return std::exp2(terms.beta + 1) *
         (4 * terms.layers * terms.gradient_sup + terms.displacement_sup / terms.finest_half_width) * terms.input_norm;
}

double theorem3_bound(const BoundTerms& terms, double input_gradient_norm) {
  const double truncation =
      terms.layers * (terms.layers + 1) * std::sqrt(2.0) * terms.finest_half_width * input_gradient_norm;
  // ||grad D_beta x|| = ||grad x|| in the plane; a deformation changes it by its own gradient and its Jacobian.
  const double deformed = (1 + terms.gradient_sup) * std::sqrt(1 + 4 * terms.gradient_sup);
  return theorem2_bound(terms) + (deformed + std::exp2(terms.beta)) * truncation;
}

}  // namespace scdcf::theory
