// The constants A_l of eq. (A_l), which make a layer non-expansive when they are at most one (assumption A2).
#pragma once

#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"

namespace scdcf::theory {

/// A_1 of a lifting layer and A_l of a joint layer, in the paper's own normalisation of coefficients. Only for
/// orthonormal Dirichlet bases ("sine", "fourier-bessel"): for others the lemmas behind it do not hold, and an Error is
/// thrown.
double stability_constant(const nn::LiftingConvImpl& layer);
double stability_constant(const nn::JointConvImpl& layer);

/// Scales the coefficients down so that A_l <= limit; a layer within the limit is left alone. Returns the factor.
double project_to_stable(nn::LiftingConvImpl& layer, double limit = 1.0);
double project_to_stable(nn::JointConvImpl& layer, double limit = 1.0);

}  // namespace scdcf::theory
