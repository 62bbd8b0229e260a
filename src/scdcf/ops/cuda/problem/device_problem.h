// The problem as the kernels see it: fixed-size arrays, passed by value.
#pragma once

#include <cstdint>

#include "scdcf/ops/cuda/problem/line_operator.h"
#include "scdcf/ops/cuda/separable_kernel.h"

namespace scdcf::ops::cuda {

struct DeviceProblem {
  int batch, planes, in_channels, out_channels, in_height, in_width, out_height, out_width;
  int stride, origin, replicate, column_modes, row_modes, mixings, scale_count, source_count, mode_count;
  ScaleEntry scales[kMaxScales];
  Source sources[kMaxSources];
  ModePair modes[kMaxModes];

  __host__ __device__ LineAxis y_axis() const { return {out_height, in_height, stride, origin, replicate}; }
  __host__ __device__ LineAxis x_axis() const { return {out_width, in_width, stride, origin, replicate}; }
  int max_radius() const;
};

/// Throws an Error when a limit of separable_kernel.h is exceeded; indices are those that ops/checks.h has let through.
DeviceProblem make_device_problem(const SeparableProblem& problem);

/// The last digit of an index, which loses it: for indices that count through several sizes at once.
template <class Index>
__host__ __device__ inline int take_digit(Index& rest, int size) {
  const int digit = static_cast<int>(rest % size);
  rest /= size;
  return digit;
}

__host__ __device__ constexpr int round_up(int x, int to) { return (x + to - 1) / to * to; }
/// Bytes of a part of a workspace, so that the next begins at a round address.
constexpr size_t aligned(int64_t bytes) { return static_cast<size_t>((bytes + 255) / 256 * 256); }
__host__ __device__ constexpr int64_t divide_up(int64_t x, int64_t by) { return (x + by - 1) / by; }

}  // namespace scdcf::ops::cuda
