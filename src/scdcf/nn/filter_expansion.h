// What a convolution layer derives from its options: the sampled bases, the scales it reads, its initial coefficients.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "scdcf/basis/scale_basis.h"
#include "scdcf/nn/options.h"
#include "scdcf/ops/filter_bank.h"

namespace scdcf::nn {

class FilterExpansion {
 public:
  explicit FilterExpansion(const LiftingConvOptions& options);
  explicit FilterExpansion(const JointConvOptions& options);

  const ops::FilterBank& filters() const { return *filters_; }
  const basis::ScaleBasis& scale_basis() const { return scale_basis_; }
  const ops::ScaleSources& sources() const { return sources_; }
  /// phi_m on the taps, [K_alpha, L_alpha], like `tensor` in type and device.
  at::Tensor scale_basis_like(const at::Tensor& tensor) const;
  /// The same, undefined where it is one tap of weight 1, by which nothing need be multiplied.
  at::Tensor scale_weights_like(const at::Tensor& tensor) const;

  /// Refuses input [N, C, ..., H, W] that does not go with these coefficients, in one line that names the layer.
  void check_input(const char* layer, const at::Tensor& input, const at::Tensor& coefficients,
                   SpatialPadding padding) const;

  /// The standard deviation of coefficients that keeps the mean square of ReLU features about constant with depth. The
  /// features of a deep stack are smooth on the scale of the filters, so the gain that matters is that for a constant
  /// input; it is the same at every scale, because the sum of a filter is.
  double initial_deviation(int64_t in_channels) const;

  /// Coefficients [O, C, M, K] in the paper's normalisation, eq. (joint-bases): sums over taps replaced by integrals,
  /// psi_k orthonormal on the square of side 2, phi_m on the interval of length 2.
  at::Tensor paper_coefficients(const at::Tensor& coefficients) const;
  /// mu_k, [K].
  at::Tensor eigenvalues() const;

 private:
  std::shared_ptr<const ops::FilterBank> filters_;
  basis::ScaleBasis scale_basis_;
  ops::ScaleSources sources_;
  bool lifting_;
};

/// "5 scales, widths 5 .. 10 px, sine K=15": for printing a layer.
std::string describe_filters(const ops::FilterBank& filters);

}  // namespace scdcf::nn
