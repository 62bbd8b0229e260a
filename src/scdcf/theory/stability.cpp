#include "scdcf/theory/stability.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"

namespace scdcf::theory {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// ||a_{lambda',lambda}(., m)||_mu for every pair of channels and scale mode: [M_l, M_{l-1}, K_alpha].
at::Tensor weighted_norms(const nn::FilterExpansion& expansion, const at::Tensor& coefficients) {
  const auto& basis = *expansion.filters().sampled().basis;
  require(basis.is_dirichlet(), "stability constant: basis: got \"", basis.name(),
          "\", expected an orthonormal Dirichlet basis (sine, fourier-bessel)");
  const auto paper = expansion.paper_coefficients(coefficients.detach()).cpu();
  return (paper.square() * expansion.eigenvalues()).sum(3).sqrt();
}

template <class Layer>
double project(Layer& layer, double limit) {
  require(std::isfinite(limit) && limit > 0, "project_to_stable: limit: got ", limit, ", expected a positive number");
  const double constant = stability_constant(layer);
  if (constant <= limit) return 1;
  const torch::NoGradGuard no_grad;
  layer.coefficients.mul_(limit / constant);
  return limit / constant;
}

}  // namespace

double stability_constant(const nn::LiftingConvImpl& layer) {
  const auto norms = weighted_norms(layer.expansion(), layer.coefficients).squeeze(2);
  const double out = static_cast<double>(norms.size(0)), in = static_cast<double>(norms.size(1));
  return kPi * std::max(norms.sum(1).max().item<double>(), in / out * norms.sum(0).max().item<double>());
}

double stability_constant(const nn::JointConvImpl& layer) {
  const auto norms = weighted_norms(layer.expansion(), layer.coefficients);
  const double out = static_cast<double>(norms.size(0)), in = static_cast<double>(norms.size(1));
  const double per_output = norms.sum(2).sum(1).max().item<double>();
  const double per_input = norms.sum(0).amax(0).sum().item<double>();
  return kPi * std::max(per_output, 2 * in / out * per_input);
}

double project_to_stable(nn::LiftingConvImpl& layer, double limit) { return project(layer, limit); }
double project_to_stable(nn::JointConvImpl& layer, double limit) { return project(layer, limit); }

}  // namespace scdcf::theory
