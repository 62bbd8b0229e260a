// What matrix_expand.cu multiplies, and how it lies in shared memory.
//
// An operand tile lies in shared memory as [source][column]; a column is a (position, channel) of the axis that the
// pass leaves alone. A unit of work is 32 columns, four products of 8 side by side. Of a product's results a lane has
// two neighbouring columns; so that those of a unit make 16 bytes of neighbouring channels, columns are kept in another
// order: number V m + 2 j + i of a group of 4 V (V numbers are 16 bytes) is column 2 m + i of product j.
//
//   group, V = 4:   0  1  4  5  8  9 12 13 | 2  3  6  7 10 11 14 15        product 0 | product 1
//
// The pitch is 8 more than a multiple of 32, so that the loads of a product meet no bank conflict.
#pragma once

#include "scdcf/ops/cuda/matrix_passes.h"
#include "scdcf/ops/cuda/pass_step.cuh"

namespace scdcf::ops::cuda::expanding {

template <class T>
struct Operand {
  static constexpr int kVector = 16 / static_cast<int>(sizeof(T)), kStep = 32 / static_cast<int>(sizeof(T));

  __device__ static int place(int column) {
    return (column & -(4 * kVector)) + (column % kVector / 2 * 8) + (column / kVector % 4 * 2) + column % 2;
  }
};

__device__ inline void put(float* at, float x) { *at = bits_to_float(round_tf32(x)); }
__device__ inline void put(bf16* at, float x) { *at = __float2bfloat16(x); }
/// Two neighbours.
__device__ inline void put(float* at, float x, float y) {
  *reinterpret_cast<float2*>(at) = make_float2(bits_to_float(round_tf32(x)), bits_to_float(round_tf32(y)));
}
__device__ inline void put(bf16* at, float x, float y) { *reinterpret_cast<uint32_t*>(at) = pack_bf16(x, y); }

/// The right operands of one step of a unit; `at` is its first source and column.
__device__ inline void load_step(uint32_t (&b)[4][2], const float* at, int pitch) {
  const int lane = threadIdx.x % 32;
  const float* from = at + lane % 4 * pitch + lane / 4;
#pragma unroll
  for (int j = 0; j < 4; ++j) b[j][0] = float_to_bits(from[j * 8]), b[j][1] = float_to_bits(from[4 * pitch + j * 8]);
}
__device__ inline void load_step(uint32_t (&b)[4][2], const bf16* at, int pitch) {
  const int lane = threadIdx.x % 32;
  const bf16* from = at + lane % 16 * pitch + lane / 16 * 8;
  load_transposed_step(b, from);
}

/// d[i] += matrix i * the columns of a unit, for several row tiles; `at` is the unit's first source and column.
/// fragments[i]: of a row tile, its first step first, counted from `bank`, which is the lane's; bands[i]: its steps.
template <class T, int tiles>
__device__ void multiply_tiles(float (&d)[tiles][4][4], const T* at, int pitch, const uint4* bank,
                               const int (&fragments)[tiles], const uint32_t (&bands)[tiles]) {
  uint32_t left = 0;
#pragma unroll
  for (int i = 0; i < tiles; ++i) left |= bands[i];
  while (left != 0) {
    const int step = lowest_bit(left);
    left &= left - 1;
    uint32_t b[4][2];
    load_step(b, at + step * Operand<T>::kStep * pitch, pitch);
#pragma unroll
    for (int i = 0; i < tiles; ++i)
      if (bands[i] >> step & 1) multiply_step<T>(d[i], bank[fragments[i] + step * 32], b);
  }
}

/// The steps of every row tile of a tile as bits, in shared memory; all threads take part.
__device__ inline void find_bands(uint32_t* bands, const MatrixBank& bank, const LineSpan& targets,
                                  const LineSpan& sources, int radius) {
  for (int tile = static_cast<int>(threadIdx.x); tile < bank.row_tiles; tile += static_cast<int>(blockDim.x))
    bands[tile] = bank.steps_of(targets, sources, radius, tile).bits();
}

/// Pitch of an operand tile for so many columns.
__host__ __device__ constexpr int operand_pitch(int columns) { return round_up(columns, kUnit) + 8; }

}  // namespace scdcf::ops::cuda::expanding
