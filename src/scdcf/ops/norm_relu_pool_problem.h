// Batch-norm, ReLU and average pooling as the kernels see them: sizes and what is computed, free of torch.
#pragma once

#include <cstdint>

namespace scdcf::ops {

/// Maps stored plane by plane (an image at one scale), pixel by pixel, channels innermost:
///   z[p, c] = (x[p, c] - mean[c]) / sqrt(variance[c] + eps) * weight[c] + bias[c]     p: a pixel of any plane
///   y[o, c] = mean over the pixels p of window o that lie inside the map of max(z[p, c], 0)
///             keeps_zero: less max(z0[c], 0), z0 being what z is where x is zero, so that y is zero there, to rounding
/// Window (oy, ox) covers rows oy * stride - padding to oy * stride - padding + window - 1, columns alike.
/// Invariant: window >= 1, stride >= 1, 2 * padding <= window <= size + 2 * padding, so no window is empty.
struct NormPoolProblem {
  int64_t planes = 0, channels = 0, in_height = 0, in_width = 0, out_height = 0, out_width = 0;
  int64_t window = 1, stride = 1, padding = 0;
  bool keeps_zero = false;

  int64_t pixels() const { return planes * in_height * in_width; }  // values per channel
  int64_t outputs() const { return planes * out_height * out_width; }
};

/// What turns the mean and the variance of a batch into statistics, and where training keeps them.
struct NormSettings {
  bool training = true;  // statistics of this batch; otherwise the running ones
  double momentum = 0.1, eps = 1e-5;
  bool keeps_zero = false;  // takes off what is made of zero
};

/// What every pixel of a channel needs, in the type of the arithmetic; the number of each array of [channels].
/// The mean is split into a rounded centre and its remainder, which goes into the shift: a mean of 1e4 beside a
/// deviation of 1 then costs no digits.
///   z      = (x - centre) * scale + shift
///   ground = max(shift - centre * scale, 0) where zero is kept, else 0; taken off the average of max(z, 0)
///   grad_x = (z > 0 ? grad * scale : 0) + offset + slope * (x - centre)
enum NormCoefficient { kCentre, kScale, kShift, kGround, kOffset, kSlope, kNormCoefficients };

}  // namespace scdcf::ops
