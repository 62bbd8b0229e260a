// What matrix_collect.cu multiplies, and how it lies in shared memory.
//
// An operand tile lies in shared memory as [source][column]; a column is a (position, channel) of the axis that the
// pass leaves alone. A unit of work is 32 columns, four products of 8 side by side. Of a product's results a lane has
// two neighbouring columns; products take their columns from the unit so that a lane's results are 16 bytes of
// neighbouring channels, and columns are kept in the order in which a lane reads them:
//
//   32 bits   column 16 h + 4 m + 2 j + i is column 2 m + i of product 2 h + j, kept at 8 m + 4 i + 2 h + j: a lane
//             reads one number of each product at once
//   16 bits   column 8 m + 2 j + i is column 2 m + i of product j, kept at 8 j + 2 m + i: as load_transposed wants it
//
// The pitch is 8 more than a multiple of 32, so that the loads of a product meet no bank conflict.
#pragma once

#include "scdcf/ops/cuda/matrix_passes.h"
#include "scdcf/ops/cuda/pass_step.cuh"

namespace scdcf::ops::cuda::collecting {

template <class T>
struct Operand {
  static constexpr int kVector = 16 / static_cast<int>(sizeof(T)), kStep = 32 / static_cast<int>(sizeof(T));

  __device__ static int place(int column) {
    if constexpr (sizeof(T) == 2)
      return (column & -32) + column % 8 / 2 * 8 + column / 8 % 4 * 2 + column % 2;
    else
      return (column & -32) + column / 4 % 4 * 8 + column % 2 * 4 + column / 16 % 2 * 2 + column / 2 % 2;
  }
  __device__ static void put(T* at, float x) {
    if constexpr (sizeof(T) == 2)
      *at = __float2bfloat16(x);
    else
      *at = operand<false>(x);
  }
  /// Four neighbouring columns; `at` is the place of the first, a multiple of four.
  __device__ static void put(T* at, float x, float y, float z, float w) {
    if constexpr (sizeof(T) == 2) {
      *reinterpret_cast<uint32_t*>(at) = pack_bf16(x, y);
      *reinterpret_cast<uint32_t*>(at + 8) = pack_bf16(z, w);
    } else {
      *reinterpret_cast<float2*>(at) = make_float2(operand<false>(x), operand<false>(z));
      *reinterpret_cast<float2*>(at + 4) = make_float2(operand<false>(y), operand<false>(w));
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
  if (steps.begin >= steps.end) return;
  const auto* from = lane_start(at, pitch) + steps.begin * Operand<T>::kStep * pitch;
  int step = steps.begin;
  uint32_t b[2][4][2];
  uint4 w[2][tiles];
  const auto load = [&](int turn) {
    load_step(b[turn], from, pitch);
#pragma unroll
    for (int i = 0; i < tiles; ++i) w[turn][i] = bank[i][step * 32];
    from += Operand<T>::kStep * pitch, ++step;
  };
  const auto multiply_all = [&](int turn) {
#pragma unroll
    for (int i = 0; i < tiles; ++i) multiply_step<T>(d[i], w[turn][i], b[turn]);
  };
  load(0);
#pragma unroll 1
  for (int left = steps.end - steps.begin;;) {
    if (left > 1) load(1);
    multiply_all(0);
    if (--left == 0) return;
    if (left > 1) load(0);
    multiply_all(1);
    if (--left == 0) return;
  }
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
      : position(static_cast<int>(static_cast<uint64_t>(column) * t.by_channels >> 31)),
        channel(column - position * t.channels) {}
};

}  // namespace scdcf::ops::cuda::collecting
