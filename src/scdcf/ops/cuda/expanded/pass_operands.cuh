// What the passes of matrix_passes.h multiply, and how it lies in shared memory.
//
// An operand tile lies in shared memory as [source][column]; a column is a (position, channel) of the axis that the
// pass leaves alone. A unit of work is 32 columns, four products of 8 side by side. Of a row of a product's results a
// lane has two neighbouring columns; so that those of a unit make pieces of 16 bytes of neighbouring channels, and four
// lanes' pieces whole sectors of memory, columns are kept in another order: number V m + 2 j + i of a group of 4 V (V
// numbers are 16 bytes) is column 2 m + i of product j.
//
//   group, V = 4:   0  1  4  5  8  9 12 13 | 2  3  6  7 10 11 14 15        product 0 | product 1
//
// The pitch is 8 more than a multiple of 32, so that the loads of a product meet no bank conflict.
#pragma once

#include "scdcf/ops/cuda/expanded/matrix_passes.h"
#include "scdcf/ops/cuda/expanded/pass_step.cuh"

namespace scdcf::ops::cuda {

template <class T>
struct Operand {
  static constexpr int kVector = 16 / static_cast<int>(sizeof(T)), kStep = 32 / static_cast<int>(sizeof(T)),
                       kPieces = 8 / kVector;

  /// Where a column is kept.
  __device__ static int place(int column) {
    return (column & -(4 * kVector)) + column % kVector / 2 * 8 + column / kVector % 4 * 2 + column % 2;
  }
  __device__ static T number(float x) {
    if constexpr (sizeof(T) == 2)
      return __float2bfloat16(x);
    else
      return operand<false>(x);
  }
  /// Of a unit, the first column of the lane's piece h, and number e of the piece in row r (0 or 1) of the results.
  __device__ static int column(int h) { return h * 4 * kVector + static_cast<int>(threadIdx.x) % 4 * kVector; }
  __device__ static float result(const float (&d)[4][4], int r, int h, int e) {
    return d[h * kVector / 2 + e / 2][r * 2 + e % 2];
  }
  /// Numbers e and e + 1 of a piece: one word, or two.
  struct Words {
    uint32_t word[4];
  };
  __device__ static Words words(const float (&d)[4][4], int r, int h) {
    Words w;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if constexpr (sizeof(T) == 2)
        w.word[i] = pack_bf16(result(d, r, 0, i * 2), result(d, r, 0, i * 2 + 1));
      else
        w.word[i] = round_tf32(result(d, r, h, i));
    return w;
  }
  /// A piece as operands: `to` is where its first column is kept.
  __device__ static void keep(T* to, const Words& w) {
    auto* words = reinterpret_cast<uint32_t*>(to);
    if constexpr (sizeof(T) == 2) {
      words[0] = w.word[0], words[4] = w.word[1], words[8] = w.word[2], words[12] = w.word[3];
    } else {
      *reinterpret_cast<uint2*>(words) = make_uint2(w.word[0], w.word[1]);
      *reinterpret_cast<uint2*>(words + 8) = make_uint2(w.word[2], w.word[3]);
    }
  }
};

/// Where a lane's operands of a unit begin: its first source and column.
__device__ inline const float* lane_start(const float* at, int pitch) {
  const int lane = threadIdx.x % 32;
  return at + lane % 4 * pitch + lane / 4;
}
__device__ inline const bf16* lane_start(const bf16* at, int pitch) {
  const int lane = threadIdx.x % 32;
  return at + lane % 16 * pitch + lane / 16 * 8;
}

/// The right operands of one step of a unit, from the lane's start on.
__device__ inline void load_step(uint32_t (&b)[4][2], const float* from, int pitch) {
#pragma unroll
  for (int j = 0; j < 4; ++j) b[j][0] = float_to_bits(from[j * 8]), b[j][1] = float_to_bits(from[4 * pitch + j * 8]);
}
__device__ inline void load_step(uint32_t (&b)[4][2], const bf16* from, int) { load_transposed_step(b, from); }

/// d[i] += matrix i * the columns of a unit, over some steps, at least one; `at` is the unit's first source and column.
/// Matrix i is a row tile, its fragments for this lane begin at bank[i]. What a step needs is asked for a step before.
template <class T, int tiles>
__device__ void multiply_tiles(float (&d)[tiles][4][4], const T* at, int pitch, const uint4* const (&bank)[tiles],
                               const Steps& steps) {
  int left = steps.end - steps.begin;
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
