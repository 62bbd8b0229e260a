// What the passes of matrix_passes.h multiply, and how it lies in shared memory.
//
// An operand tile lies in shared memory as [source][column]; a column is a (position, channel) of the axis that the
// pass leaves alone. A unit of work is 32 columns, four products of 8 side by side, which take their columns from the
// unit so that of a row of results a lane has eight neighbours, 8 q to 8 q + 7 for q = lane % 4:
//
//   32 bits   column 8 q + 4 i + j is column 2 q + i of product j: a lane reads one operand of each product at once
//   16 bits   column 8 q + 2 j + i is column 2 q + i of product j, kept at 8 j + 2 q + i: as load_transposed wants it
//
// The pitch is 8 more than a multiple of 32, so that the loads of a product meet no bank conflict.
#pragma once

#include "scdcf/ops/cuda/matrix_passes.h"
#include "scdcf/ops/cuda/pass_step.cuh"

namespace scdcf::ops::cuda {

template <class T>
struct Operand {
  static constexpr int kVector = 16 / static_cast<int>(sizeof(T)), kStep = 32 / static_cast<int>(sizeof(T));

  /// Where a column is kept.
  __device__ static int place(int column) {
    if constexpr (sizeof(T) == 2)
      return (column & -32) + column % 8 / 2 * 8 + column / 8 % 4 * 2 + column % 2;
    else
      return column;
  }
  __device__ static T number(float x) {
    if constexpr (sizeof(T) == 2)
      return __float2bfloat16(x);
    else
      return operand<false>(x);
  }
  /// Result e of the lane's eight, of row r (0 or 1).
  __device__ static float result(const float (&d)[4][4], int r, int e) {
    return sizeof(T) == 2 ? d[e / 2][r * 2 + e % 2] : d[e % 4][r * 2 + e / 4];
  }
  /// Four words of the lane's results of row r: all eight of 16 bits, or those of half h.
  __device__ static uint4 words(const float (&d)[4][4], int r, int h) {
    if constexpr (sizeof(T) == 2)
      return make_uint4(pack_bf16(d[0][r * 2], d[0][r * 2 + 1]), pack_bf16(d[1][r * 2], d[1][r * 2 + 1]),
                        pack_bf16(d[2][r * 2], d[2][r * 2 + 1]), pack_bf16(d[3][r * 2], d[3][r * 2 + 1]));
    else
      return make_uint4(round_tf32(d[0][r * 2 + h]), round_tf32(d[1][r * 2 + h]), round_tf32(d[2][r * 2 + h]),
                        round_tf32(d[3][r * 2 + h]));
  }
  /// The eight results of row r as operands: `column` is a multiple of 8, `row` where its source begins.
  __device__ static void keep(T* row, int column, const float (&d)[4][4], int r) {
    const uint4 low = words(d, r, 0);
    if constexpr (sizeof(T) == 2) {
      auto* to = reinterpret_cast<uint32_t*>(row + (column & -32) + column / 8 % 4 * 2);
      to[0] = low.x, to[4] = low.y, to[8] = low.z, to[12] = low.w;
    } else {
      auto* to = reinterpret_cast<uint4*>(row + column);
      to[0] = low, to[1] = words(d, r, 1);
    }
  }
};

/// Where a lane's operands of a unit begin: its first source and column.
__device__ inline const float* lane_start(const float* at, int pitch) {
  const int lane = threadIdx.x % 32;
  return at + lane % 4 * pitch + lane / 4 * 4;
}
__device__ inline const bf16* lane_start(const bf16* at, int pitch) {
  const int lane = threadIdx.x % 32;
  return at + lane % 16 * pitch + lane / 16 * 8;
}

/// The right operands of one step of a unit, from the lane's start on.
__device__ inline void load_step(uint32_t (&b)[4][2], const float* from, int pitch) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const float4 x = *reinterpret_cast<const float4*>(from + i * 4 * pitch);
    b[0][i] = float_to_bits(x.x), b[1][i] = float_to_bits(x.y);
    b[2][i] = float_to_bits(x.z), b[3][i] = float_to_bits(x.w);
  }
}
__device__ inline void load_step(uint32_t (&b)[4][2], const bf16* from, int) { load_transposed_step(b, from); }

/// d[i] += matrix i * the columns of a unit, over some steps; `at` is the unit's first source and column. Matrix i is a
/// row tile, its fragments for this lane begin at bank[i]. What a step needs is asked for a step before.
template <class T, int tiles>
__device__ void multiply_tiles(float (&d)[tiles][4][4], const T* at, int pitch, const uint4* const (&bank)[tiles],
                               const Steps& steps) {
  int left = steps.end - steps.begin;
  if (left <= 0) return;
  const auto* from = lane_start(at, pitch) + steps.begin * Operand<T>::kStep * pitch;
  const uint4* next[tiles];
#pragma unroll
  for (int i = 0; i < tiles; ++i) next[i] = bank[i] + steps.begin * 32;
  uint32_t b[2][4][2];
  uint4 w[2][tiles];
  const auto load = [&](int turn) {
    load_step(b[turn], from, pitch);
    from += Operand<T>::kStep * pitch;
#pragma unroll
    for (int i = 0; i < tiles; ++i) w[turn][i] = *next[i], next[i] += 32;
  };
  const auto multiply_all = [&](int turn) {
#pragma unroll
    for (int i = 0; i < tiles; ++i) multiply_step<T>(d[i], w[turn][i], b[turn]);
  };
  load(0);
  if (left > 1) load(1);
  multiply_all(0);  // outside the loop: where d is zero nothing has to be cleared
#pragma unroll 1
  while (--left > 0) {
    if (left > 1) load(0);
    multiply_all(1);
    if (--left == 0) return;
    if (left > 1) load(1);
    multiply_all(0);
  }
}

/// The steps that some row tiles need together.
template <int tiles>
__device__ Steps steps_together(const Steps* band, int first) {
  Steps steps = band[first];
#pragma unroll
  for (int i = 1; i < tiles; ++i)
    steps.begin = min(steps.begin, band[first + i].begin), steps.end = max(steps.end, band[first + i].end);
  return steps;
}

/// The steps of every row tile of a tile, in shared memory; all threads take part.
__device__ inline void find_steps(Steps* steps, const MatrixBank& bank, const LineSpan& targets,
                                  const LineSpan& sources, int radius) {
  for (int tile = static_cast<int>(threadIdx.x); tile < bank.row_tiles; tile += static_cast<int>(blockDim.x))
    steps[tile] = bank.steps_of(targets, sources, radius, tile);
}

/// A column of a tile whose columns are (position, channel of a slab).
struct Place {
  int position, channel;
  __device__ Place(int column, const MatrixTile& t)
      : position(static_cast<int>(uint64_t(static_cast<uint32_t>(column)) * t.by_channels >> 31)),
        channel(column - position * t.channels) {}
};

}  // namespace scdcf::ops::cuda
