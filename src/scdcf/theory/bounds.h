// The right-hand sides of Theorems 2 and 3.
#pragma once

namespace scdcf::theory {

struct BoundTerms {
  double beta = 0;               // octaves
  int layers = 0;                // L
  double gradient_sup = 0;       // |grad tau|_inf
  double displacement_sup = 0;   // |tau|_inf, pixels
  double finest_half_width = 0;  // of the last layer's filters, pixels
  double input_norm = 0;         // ||x^(0)||
};

/// eq. (regularity_final): 2^(beta+1) (4 L |grad tau| + 2^(-j_L) |tau|) ||x^(0)||.
///
/// 2^j_L is taken as the half width of the FINEST filter. The proof of Proposition 4 bounds ||D_tau x - x|| at scale
/// alpha by 2^(-alpha - j_L) |tau|, and the factor 2^-alpha is lost in the paper's last line; so the bound holds for
/// all alpha that are computed when alpha = 0 is the finest of them.
double theorem2_bound(const BoundTerms& terms);

/// eq. (regularity_final_truncation): Theorem 2's bound plus the O(2^-T) of the truncated scale axis, with the constant
/// that the proof yields. Mollification moves a layer by at most sqrt(2) h ||grad x||, h the finest half width (which
/// is proportional to 2^-T); two scales beyond the fine end differ by at most twice that, and the differences add up
/// over the layers to e_L = L (L+1) sqrt(2) h ||grad x||, once for D x and once, times 2^beta, for x.
/// `input_gradient_norm` is ||grad x^(0)||.
double theorem3_bound(const BoundTerms& terms, double input_gradient_norm);

}  // namespace scdcf::theory
