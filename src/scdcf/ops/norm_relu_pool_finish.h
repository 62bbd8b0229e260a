// From the sums over a channel to its statistics, coefficients and gradients: the few numbers per channel that CPU and
// CUDA compute alike, in double.
#pragma once

#include <cmath>

#include "scdcf/ops/norm_relu_pool_problem.h"

#ifdef __CUDACC__
#  define SCDCF_HOST_DEVICE __host__ __device__
#else
#  define SCDCF_HOST_DEVICE
#endif

namespace scdcf::ops {

/// Sums over the values of a channel, each less a `shift` near the mean (any value of the channel is), without which
/// the difference of squares would cancel.
struct ShiftedSums {
  double shift, sum, squares;
};

struct ChannelStatistics {
  double mean, variance;  // biased
};

SCDCF_HOST_DEVICE inline ChannelStatistics statistics_of(const ShiftedSums& s, double count) {
  const double offset = s.sum / count, variance = s.squares / count - offset * offset;
  return {s.shift + offset, variance < 0 ? 0 : variance};  // NaN stays
}

SCDCF_HOST_DEVICE inline double invstd_of(double variance, double eps) { return 1 / sqrt(variance + eps); }

/// Moves the running statistics towards those of the batch; the variance is the unbiased one, as in torch.
template <class F>
SCDCF_HOST_DEVICE void update_running(const ChannelStatistics& s, double count, double momentum, F& mean, F& variance) {
  mean = static_cast<F>((1 - momentum) * mean + momentum * s.mean);
  variance = static_cast<F>((1 - momentum) * variance + momentum * s.variance * count / (count - 1));
}

/// The four coefficients of the forward for one channel; coefficients[k * channels] is that of kind k.
template <class F>
SCDCF_HOST_DEVICE void forward_coefficients(double mean, double invstd, F weight, F bias, bool keeps_zero,
                                            int64_t channels, F* coefficients) {
  const F centre = static_cast<F>(mean);
  coefficients[kCentre * channels] = centre;
  const F scale = coefficients[kScale * channels] = static_cast<F>(weight * invstd);
  const F shift = coefficients[kShift * channels] = static_cast<F>(bias - (mean - centre) * weight * invstd);
  const F of_zero = (F(0) - centre) * scale + shift;
  coefficients[kGround * channels] = !keeps_zero || of_zero < F(0) ? F(0) : of_zero;  // NaN stays
}

/// Sums over the pixels of a channel: of the gradient g behind the ReLU, and of g * (x - centre). What zero becomes,
/// where it is taken off, counts as one more pixel x = 0, whose g is minus the sum of all gradients of the result.
struct GradientSums {
  double grad, grad_times_input;
};

/// grad_x = scale * (g - mean(g) - xhat * mean(g * xhat)) with xhat = (x - mean) * invstd. Statistics that do not
/// depend on the batch leave the first term alone.
template <class F>
SCDCF_HOST_DEVICE void backward_coefficients(const GradientSums& s, double mean, double invstd, F weight, double count,
                                             bool training, int64_t channels, F* coefficients, F& grad_weight,
                                             F& grad_bias) {
  const double remainder = mean - coefficients[kCentre * channels];
  const double with_xhat = (s.grad_times_input - remainder * s.grad) * invstd;
  grad_weight = static_cast<F>(with_xhat);
  grad_bias = static_cast<F>(s.grad);
  const double scale = training ? weight * invstd / count : 0;
  coefficients[kSlope * channels] = static_cast<F>(-scale * invstd * with_xhat);
  coefficients[kOffset * channels] = static_cast<F>(scale * (remainder * invstd * with_xhat - s.grad));
}

}  // namespace scdcf::ops
