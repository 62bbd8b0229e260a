// What both kernels of lifting.h begin with: a patch of the input, the factors as operands, and the row pass.
#pragma once

#include "scdcf/ops/cuda/lifting/lifting.h"
#include "scdcf/ops/cuda/machine/matrix_tiles.cuh"

namespace scdcf::ops::cuda::lifting {

/// A tile of output pixels of one image and scale.
struct Tile {
  int image, scale, radius, steps, x0, xs, y0, ys;
  __device__ Tile(const DeviceProblem& p, const LiftingPlan& f, int image_, int scale_, int x_tile, int y_tile)
      : image(image_),
        scale(scale_),
        radius(p.scales[scale_].radius),
        steps((2 * radius + 8) / 8),
        x0(x_tile * f.tx),
        xs(min(f.tx, p.out_width - x0)),
        y0(y_tile * f.ty),
        ys(min(f.ty, p.out_height - y0)) {}
};

/// patch[c][v][u]: what the tile reads, padding included, and on to whole steps.
template <class T, bool exact>
__device__ void load_patch(const DeviceProblem& p, const LiftingPlan& f, const Tile& t, const T* in) {
  auto* patch = reinterpret_cast<float*>(shared_memory());
  const int rows = (round_up(t.ys, 16) - 1) * p.stride + t.steps * 8,
            width = (round_up(t.xs, 16) - 1) * p.stride + t.steps * 8;
  const int u0 = t.x0 * p.stride + p.origin - t.radius, v0 = t.y0 * p.stride + p.origin - t.radius;
  const int plane = p.sources[p.scales[t.scale].source_begin].plane, lane = threadIdx.x % 32;
  const T* from = in + (int64_t(t.image) * p.planes + plane) * p.in_height * p.in_width * p.in_channels;
  for (int c = 0; c < p.in_channels; ++c)
    for (int v = threadIdx.x / 32; v < rows; v += kLiftingThreads / 32) {
      const int from_v = min(max(v0 + v, 0), p.in_height - 1);
      const T* line = from + int64_t(from_v) * p.in_width * p.in_channels + c;
      float* to = patch + (c * f.rows + v) * f.width;
#pragma unroll 2
      for (int u = lane; u < width; u += 32) {
        const int from_u = min(max(u0 + u, 0), p.in_width - 1);
        const bool inside = p.replicate || (from_v == v0 + v && from_u == u0 + u);
        to[u] = inside ? operand<exact>(to_float(line[from_u * p.in_channels])) : 0.0f;
      }
    }
}

/// The row factors as right operands, eight taps x eight factors a step, and the column factors of every group of modes
/// and row factor, as right operands or, transposed, as left ones.
template <bool exact, bool transposed>
__device__ void load_factors(const DeviceProblem& p, const LiftingPlan& f, const Tile& t, const float* factors) {
  constexpr int kNumbers = transposed ? 4 : 2;
  const int taps = 2 * t.radius + 1;
  const float* from = factors + p.scales[t.scale].row_offset;
  auto* row = reinterpret_cast<float*>(shared_memory() + f.row_at);
  for (int i = threadIdx.x; i < t.steps * 64; i += kLiftingThreads) {
    const int lane = i / 2 % 32, d = i / 64 * 8 + lane % 4 + i % 2 * 4, b = lane / 4;
    row[i] = d < taps && b < f.factors ? operand<exact>(from[f.row[b] * taps + d]) : 0.0f;
  }
  from = factors + p.scales[t.scale].column_offset;
  auto* column = reinterpret_cast<float*>(shared_memory() + f.column_at);
  for (int g = 0; g < f.groups; ++g)
    for (int b = f.first[g]; b <= f.last[g]; ++b) {
      float* to = column + (f.parts[g] + b - f.first[g]) * f.steps * 32 * kNumbers;
      for (int i = threadIdx.x; i < t.steps * 32 * kNumbers; i += kLiftingThreads) {
        const int r = i % kNumbers, lane = i / kNumbers % 32;
        const int mode = g * f.group + lane / 4 + (transposed ? r % 2 * 8 : 0);
        const int d = i / kNumbers / 32 * 8 + lane % 4 + r / (kNumbers / 2) * 4;
        const bool there = d < taps && mode < p.mode_count && f.factor[mode] == b;
        to[i] = there ? operand<exact>(from[f.column[mode] * taps + d]) : 0.0f;
      }
    }
}

/// A lane's operands of a Hankel matrix, step after step: `at` is its first position and tap, taps are `tap` numbers
/// apart, positions `tap * stride`. dense: stride 1, so that the positions eight on are the taps eight on.
template <bool dense>
struct Hankel {
  const float* at;
  int tap, far;
  float low, high;
  __device__ Hankel(const float* at_, int tap_, int stride)
      : at(at_), tap(tap_), far(8 * tap_ * stride), low(at_[0]), high(at_[4 * tap_]) {}
  __device__ void next(uint32_t (&a)[4]) {
    a[0] = float_to_bits(low), a[2] = float_to_bits(high);
    if constexpr (!dense) a[1] = float_to_bits(at[far]), a[3] = float_to_bits(at[far + 4 * tap]);
    at += 8 * tap, low = at[0], high = at[4 * tap];  // after the last step too: a patch has as much
    if constexpr (dense) a[1] = float_to_bits(low), a[3] = float_to_bits(high);
  }
};

/// Calls multiply(i, operands, factors) for every step of `count` Hankel matrices; `bank` has the lane's factors.
template <bool dense, int count, class Factors, class Multiply>
__device__ void go_through(const float* const (&from)[count], int tap, int stride, const Factors* bank, int steps,
                           const Multiply& multiply) {
  Hankel<dense> first(from[0], tap, stride), second(from[count - 1], tap, stride);
#pragma unroll 2
  for (int step = 0; step < steps; ++step) {
    const Factors w = bank[step * 32];
    uint32_t a[4];
    first.next(a);
    multiply(0, a, w);
    if constexpr (count == 2) {
      second.next(a);
      multiply(1, a, w);
    }
  }
}
template <int count, class Factors, class Multiply>
__device__ void for_steps(const float* const (&from)[count], int tap, int stride, const Factors* bank, int steps,
                          const Multiply& multiply) {
  if (stride == 1)
    go_through<true>(from, tap, stride, bank, steps, multiply);
  else
    go_through<false>(from, tap, stride, bank, steps, multiply);
}

/// lines[c][b][v][x]
template <bool exact>
__device__ void row_pass(const DeviceProblem& p, const LiftingPlan& f, const Tile& t) {
  const auto* patch = reinterpret_cast<const float*>(shared_memory());
  auto* lines = reinterpret_cast<float*>(shared_memory() + f.lines_at);
  const int lane = threadIdx.x % 32, rows = (round_up(t.ys, 16) - 1) * p.stride + t.steps * 8;
  const auto* bank = reinterpret_cast<const float2*>(shared_memory() + f.row_at) + lane;
  for (int c = 0; c < p.in_channels; ++c)
    for (int x = 0; x < t.xs; x += 16)
      for (int v = threadIdx.x / 32 * 2; v < rows; v += kLiftingThreads / 16) {  // two lines at a time
        const int second = min(v + 1, rows - 1);
        const float* from = patch + c * f.rows * f.width + (x + lane / 4) * p.stride + lane % 4;
        float d[2][4] = {};
        for_steps<2>({from + v * f.width, from + second * f.width}, 1, p.stride, bank, t.steps,
                     [&](int i, const uint32_t(&a)[4], const float2& w) {
                       multiply_float<exact>(d[i], a, float_to_bits(w.x), float_to_bits(w.y));
                     });
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
          for (int r = 0; r < 4; ++r) {
            const int b = lane % 4 * 2 + r % 2;
            if (b < f.factors)
              lines[(c * f.factors + b) * f.plane + (i == 0 ? v : second) * f.pitch + x + lane / 4 + r / 2 * 8] =
                  operand<exact>(d[i][r]);
          }
      }
}

}  // namespace scdcf::ops::cuda::lifting
