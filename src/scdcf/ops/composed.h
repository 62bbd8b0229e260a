// The joint convolution in its plain form: compose the filters, then convolve. It is the reference that judges every
// faster path, it is differentiable by itself, and it serves the bases that are not separable.
#pragma once

#include <ATen/core/Tensor.h>

#include "scdcf/ops/filter_bank.h"
#include "scdcf/ops/scale_sources.h"

namespace scdcf::ops {

enum class SpatialPadding {
  zero,       // "same" size, zero beyond the border (default)
  replicate,  // "same" size, the border pixel repeated
  none,       // only pixels whose coarsest filter stays inside; every scale is cropped alike
};

const char* name_of(SpatialPadding padding);

struct ConvGeometry {
  int64_t stride = 1;  // 1 or 2
  SpatialPadding padding = SpatialPadding::zero;
};

/// eqs. (1st-layer) and (lth-layer) without bias and nonlinearity, truncated as (1st-layer-truncated),
/// (lth-layer-truncated):
///
///   out[n,o,s] = sum over planes p of scale s and channels c of  in[n,c,p] * W_s[o,c,p]      (* is correlation in
///   space) W_s[o,c,p] = sum over taps t on p, scale modes m, modes k of  a[o,c,m,k] phi_m[t] psi_{k,s}
///
/// input [N, C, P, H, W], coefficients a [O, C, M, K], scale_basis phi [M, T], result [N, O, S, H', W']. An undefined
/// phi, here and below, stands for a single tap of weight 1, by which nothing is multiplied.
at::Tensor joint_conv_composed(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& scale_basis,
                               const FilterBank& filters, const ScaleSources& sources, const ConvGeometry& geometry);

/// phi [M, taps] summed over each set of taps: [M, sets]; undefined where phi is.
at::Tensor tap_table(const at::Tensor& scale_basis, const FilterBank& filters, const TapSets& sets);

/// joint_conv_composed with its constants in the caller's hands: `taps` of tap_table, the filters of every scale
/// [K, L_s, L_s], sources of TapSets.
at::Tensor convolve_composed(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& taps,
                             const std::vector<at::Tensor>& filters, at::IntArrayRef sources,
                             const ConvGeometry& geometry);

/// The planes that one scale reads, [N, planes * C, H, W], convolved with its filters, which have this radius; the
/// coarsest have `largest_radius`, which matters where nothing is padded.
at::Tensor convolve_scale(const at::Tensor& planes, const at::Tensor& weight, int64_t radius, int64_t largest_radius,
                          const ConvGeometry& geometry);

/// Length of the output for an input of length `size`.
int64_t conv_output_size(int64_t size, const FilterBank& filters, const ConvGeometry& geometry);

}  // namespace scdcf::ops
