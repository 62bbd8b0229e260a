// What a joint convolution costs: multiply-adds of its forms (docs/algorithm.md).
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
};

/// Multiply-adds of a forward pass over one image. Every scale counts with its own kernel size.
int64_t composed_multiply_adds(const ConvShape& shape);   // L^2 L_alpha M' M per pixel and scale
int64_t separable_multiply_adds(const ConvShape& shape);  // B L L_alpha M' + K L_alpha M' M + A L M

/// Predicted relative times, in multiply-adds of a large matrix product. Multiply-adds of the 1-D passes and of dense
/// convolutions run at a fraction of that rate; the fractions were measured (docs/performance.md), and a test checks
/// the choice they lead to against the clock.
double predicted_composed_time(const ConvShape& shape);
double predicted_separable_time(const ConvShape& shape);

}  // namespace scdcf::ops
