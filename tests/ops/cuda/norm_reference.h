// Batch-norm, ReLU and average pooling by their definition, in double: two passes for the statistics, one loop per sum.
#pragma once

#include <cmath>

#include "reference.h"
#include "scdcf/ops/norm_relu_pool_problem.h"

namespace cuda_kernels {

using scdcf::ops::NormPoolProblem;
using scdcf::ops::NormSettings;

struct NormInputs {
  Values x, weight, bias, running_mean, running_var, grad_y;
};
struct NormResults {
  Values y, mean, invstd, running_mean, running_var, grad_x, grad_weight, grad_bias;
};

/// body(output, pixel, share) for every pixel of every window.
template <class Body>
void for_pairs(const NormPoolProblem& p, Body body) {
  for (int64_t plane = 0; plane < p.planes; ++plane)
    for (int64_t oy = 0; oy < p.out_height; ++oy)
      for (int64_t ox = 0; ox < p.out_width; ++ox) {
        std::vector<int64_t> pixels;
        for (int64_t i = 0; i < p.window * p.window; ++i) {
          const int64_t y = oy * p.stride - p.padding + i / p.window, x = ox * p.stride - p.padding + i % p.window;
          if (y >= 0 && x >= 0 && y < p.in_height && x < p.in_width)
            pixels.push_back((plane * p.in_height + y) * p.in_width + x);
        }
        for (const int64_t pixel : pixels)
          body((plane * p.out_height + oy) * p.out_width + ox, pixel, 1.0 / pixels.size());
      }
}

inline NormResults norm_reference(const NormPoolProblem& p, const NormSettings& settings, const NormInputs& in) {
  const int64_t channels = p.channels, n = p.pixels();
  NormResults r{Values(p.outputs() * channels), in.running_mean,  Values(channels), in.running_mean, in.running_var,
                Values(n * channels),           Values(channels), Values(channels)};
  for (int64_t c = 0; c < channels; ++c) {
    double mean = in.running_mean[c], variance = in.running_var[c];
    if (settings.training && n > 0) {
      mean = variance = 0;
      for (int64_t i = 0; i < n; ++i) mean += in.x[i * channels + c] / n;
      for (int64_t i = 0; i < n; ++i) variance += std::pow(in.x[i * channels + c] - mean, 2) / n;
      const double share = settings.momentum;
      r.running_mean[c] = (1 - share) * in.running_mean[c] + share * mean;
      r.running_var[c] = (1 - share) * in.running_var[c] + share * variance * n / (n - 1);
    }
    r.mean[c] = mean;
    r.invstd[c] = 1 / std::sqrt(variance + settings.eps);
  }
  const auto xhat = [&](int64_t pixel, int64_t c) { return (in.x[pixel * channels + c] - r.mean[c]) * r.invstd[c]; };
  const auto z = [&](int64_t pixel, int64_t c) { return xhat(pixel, c) * in.weight[c] + in.bias[c]; };
  for_pairs(p, [&](int64_t output, int64_t pixel, double share) {
    for (int64_t c = 0; c < channels; ++c) {
      if (z(pixel, c) <= 0) continue;
      r.y[output * channels + c] += share * z(pixel, c);
      r.grad_x[pixel * channels + c] += share * in.grad_y[output * channels + c];  // behind the batch-norm, so far
    }
  });
  for (int64_t c = 0; c < channels; ++c) {
    const double xhat_of_zero = -r.mean[c] * r.invstd[c], of_zero = xhat_of_zero * in.weight[c] + in.bias[c];
    for (int64_t output = 0; p.keeps_zero && of_zero > 0 && output < p.outputs(); ++output) {
      r.y[output * channels + c] -= of_zero;
      r.grad_weight[c] -= in.grad_y[output * channels + c] * xhat_of_zero;
      r.grad_bias[c] -= in.grad_y[output * channels + c];
    }
    for (int64_t i = 0; i < n; ++i) {
      r.grad_weight[c] += r.grad_x[i * channels + c] * xhat(i, c);
      r.grad_bias[c] += r.grad_x[i * channels + c];
    }
    for (int64_t i = 0; i < n; ++i) {
      double& g = r.grad_x[i * channels + c];
      if (settings.training) g -= r.grad_bias[c] / n + xhat(i, c) * r.grad_weight[c] / n;
      g *= in.weight[c] * r.invstd[c];
    }
  }
  return r;
}

}  // namespace cuda_kernels
