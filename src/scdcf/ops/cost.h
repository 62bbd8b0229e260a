// What a joint convolution costs: parameters and multiply-adds of its forms (Section 3.2, Proposition 1,
// docs/algorithm.md).
#pragma once

#include <cstdint>
#include <vector>

namespace scdcf::ops {

/// One layer. `kernel_sizes` has L for every scale; the paper uses one L for all.
struct ConvShape {
  int64_t out_height = 0, out_width = 0;
  int64_t in_channels = 0, out_channels = 0;  // M_{l-1}, M_l
  int64_t modes = 0, scale_modes = 1;         // K, K_alpha
  int64_t scale_taps = 1;                     // L_alpha
  int64_t column_modes = 0, row_modes = 0;    // number of 1-D factors; 0 when the basis is not separable
  std::vector<int64_t> kernel_sizes;

  /// All scales with the same kernel, as in the paper.
  static ConvShape uniform(int64_t height, int64_t width, int64_t scales, int64_t kernel, int64_t taps, int64_t in,
                           int64_t out, int64_t modes, int64_t scale_modes);
};

/// Section 3.2: L^2 L_alpha M' M without, K K_alpha M' M with the decomposition (L the largest kernel).
int64_t dense_parameters(const ConvShape& shape);
int64_t decomposed_parameters(const ConvShape& shape);

/// Multiply-adds of a forward pass over one image. Every scale counts with its own kernel size.
int64_t composed_multiply_adds(const ConvShape& shape);    // L^2 L_alpha M' M per pixel and scale
int64_t decomposed_multiply_adds(const ConvShape& shape);  // L_alpha K_alpha M' + L^2 K K_alpha M' + K K_alpha M' M
int64_t separable_multiply_adds(const ConvShape& shape);   // B L L_alpha M' + K L_alpha M' M + A L M

/// Predicted relative times, in multiply-adds of a large matrix product. Multiply-adds of the 1-D passes and of dense
/// convolutions run at a fraction of that rate; the fractions were measured (docs/performance.md), and a test checks
/// the choice they lead to against the clock.
double predicted_composed_time(const ConvShape& shape);
double predicted_separable_time(const ConvShape& shape);

/// The paper's own counts of floating-point operations, eqs. (flops-regular) and (flops-sdcfnet), L the largest kernel.
int64_t paper_regular_flops(const ConvShape& shape);
int64_t paper_scdcf_flops(const ConvShape& shape);

}  // namespace scdcf::ops
