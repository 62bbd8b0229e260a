#include "scdcf/ops/cpu/norm_relu_pool_kernel.h"

#include <algorithm>
#include <vector>

#include "scdcf/ops/cpu/kernel_table.h"
#include "scdcf/ops/norm_relu_pool_finish.h"

namespace scdcf::ops::cpu {
namespace {

constexpr int64_t kMostChunks = 128;

detail::NormKernels<float> kernels_for(const detail::KernelTable& table, float) { return table.float_norm; }
detail::NormKernels<double> kernels_for(const detail::KernelTable& table, double) { return table.double_norm; }

/// body(chunk, begin, end) for `items` cut into at most kMostChunks pieces of at least `least`.
template <class Body>
int64_t for_chunks(int64_t items, int64_t least, const Parallel& parallel, const Body& body) {
  const int64_t size = std::max(least, (items + kMostChunks - 1) / kMostChunks);
  const int64_t chunks = (items + size - 1) / size;
  parallel.run(chunks, [&](int64_t chunk) { body(chunk, chunk * size, std::min(items, (chunk + 1) * size)); });
  return chunks;
}

/// Two sums per channel: body(begin, end, sums) adds those of some items; [2][channels], the chunks added in order.
template <class Body>
std::vector<double> two_sums(int64_t items, int64_t least, int64_t channels, const Parallel& parallel,
                             const Body& body) {
  const auto width = static_cast<size_t>(2 * channels);
  std::vector<double> parts(static_cast<size_t>(kMostChunks) * width, 0.0), sums(width, 0.0);
  const int64_t chunks = for_chunks(items, least, parallel, [&](int64_t chunk, int64_t begin, int64_t end) {
    body(begin, end, parts.data() + static_cast<size_t>(chunk) * width);
  });
  for (size_t part = 0; part < static_cast<size_t>(chunks); ++part)
    for (size_t i = 0; i < width; ++i) sums[i] += parts[part * width + i];
  return sums;
}

/// Rows of `width` pixels that make a task of a few thousand pixels.
int64_t rows_per_task(int64_t width) { return std::max<int64_t>(1, 1024 / std::max<int64_t>(1, width)); }

template <class T>
std::vector<T> coefficients_of(const NormPoolProblem& p, const T* weight, const T* bias, const double* mean,
                               const double* invstd) {
  std::vector<T> coefficients(static_cast<size_t>(kNormCoefficients * p.channels));
  for (int64_t c = 0; c < p.channels; ++c)
    forward_coefficients(mean[c], invstd[c], weight[c], bias[c], p.keeps_zero, p.channels, coefficients.data() + c);
  return coefficients;
}

}  // namespace

template <class T>
void norm_relu_pool(const NormPoolProblem& p, const NormSettings& settings, const T* x, const T* weight, const T* bias,
                    T* running_mean, T* running_var, T* y, double* mean, double* invstd, const Parallel& parallel) {
  const auto kernels = kernels_for(detail::active_kernels(), T());
  const auto count = static_cast<double>(p.pixels());
  if (settings.training && p.pixels() > 0) {
    const auto sums = two_sums(p.pixels(), 1024, p.channels, parallel, [&](int64_t begin, int64_t end, double* part) {
      kernels.statistics(p, x, begin, end, part);
    });
    for (int64_t c = 0; c < p.channels; ++c) {
      const auto at = static_cast<size_t>(c);
      const auto statistics =
          statistics_of({static_cast<double>(x[c]), sums[at], sums[at + static_cast<size_t>(p.channels)]}, count);
      mean[c] = statistics.mean;
      invstd[c] = invstd_of(statistics.variance, settings.eps);
      update_running(statistics, count, settings.momentum, running_mean[c], running_var[c]);
    }
  } else {
    for (int64_t c = 0; c < p.channels; ++c) {
      mean[c] = running_mean[c];
      invstd[c] = invstd_of(running_var[c], settings.eps);
    }
  }
  const auto coefficients = coefficients_of(p, weight, bias, mean, invstd);
  for_chunks(p.planes * p.out_height, rows_per_task(p.in_width), parallel,
             [&](int64_t, int64_t begin, int64_t end) { kernels.forward(p, x, coefficients.data(), y, begin, end); });
}

template <class T>
void norm_relu_pool_backward(const NormPoolProblem& p, bool training, const T* x, const T* weight, const T* bias,
                             const double* mean, const double* invstd, const T* grad_y, T* grad_x, T* grad_weight,
                             T* grad_bias, const Parallel& parallel) {
  const auto kernels = kernels_for(detail::active_kernels(), T());
  auto coefficients = coefficients_of(p, weight, bias, mean, invstd);
  const auto sums = two_sums(p.planes * p.out_height, rows_per_task(p.in_width), p.channels, parallel,
                             [&](int64_t begin, int64_t end, double* part) {
                               kernels.gradient_sums(p, x, coefficients.data(), grad_y, begin, end, part);
                             });
  const double count = static_cast<double>(std::max<int64_t>(1, p.pixels()));
  for (int64_t c = 0; c < p.channels; ++c) {
    const auto at = static_cast<size_t>(c);
    backward_coefficients({sums[at], sums[at + static_cast<size_t>(p.channels)]}, mean[c], invstd[c], weight[c], count,
                          training, p.channels, coefficients.data() + c, grad_weight[c], grad_bias[c]);
  }
  if (grad_x == nullptr) return;
  for_chunks(p.planes * p.in_height, rows_per_task(p.in_width), parallel, [&](int64_t, int64_t begin, int64_t end) {
    kernels.backward(p, x, coefficients.data(), grad_y, grad_x, begin, end);
  });
}

template void norm_relu_pool<float>(const NormPoolProblem&, const NormSettings&, const float*, const float*,
                                    const float*, float*, float*, float*, double*, double*, const Parallel&);
template void norm_relu_pool<double>(const NormPoolProblem&, const NormSettings&, const double*, const double*,
                                     const double*, double*, double*, double*, double*, double*, const Parallel&);
template void norm_relu_pool_backward<float>(const NormPoolProblem&, bool, const float*, const float*, const float*,
                                             const double*, const double*, const float*, float*, float*, float*,
                                             const Parallel&);
template void norm_relu_pool_backward<double>(const NormPoolProblem&, bool, const double*, const double*, const double*,
                                              const double*, const double*, const double*, double*, double*, double*,
                                              const Parallel&);

}  // namespace scdcf::ops::cpu
