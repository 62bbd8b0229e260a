// What expand and collect share where their passes are products on tensor cores (matrix_expand.cu, matrix_collect.cu).
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
#include "scdcf/ops/cuda/matrix_tiles.cuh"

namespace scdcf::ops::cuda {

constexpr int kUnit = 32;  // columns

/// Kinds of arithmetic: the type of the numbers, and whether each product is made of three (matrix_tiles.cuh).
struct Tf32 {
  using Number = float;
  static constexpr bool kExact = false;
};
struct Float32 {
  using Number = float;
  static constexpr bool kExact = true;
};
struct Bfloat16 {
  using Number = bf16;
  static constexpr bool kExact = false;
};

template <class Kind>
struct Operand {
  using T = typename Kind::Number;
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
      *at = operand<Kind::kExact>(x);
  }
  /// Two numbers of 32 bits, to be stored at once.
  __device__ static uint64_t both(float x, float y) {
    return float_to_bits(operand<Kind::kExact>(x)) | static_cast<uint64_t>(float_to_bits(operand<Kind::kExact>(y)))
                                                         << 32;
  }
  /// Four neighbouring columns; `at` is the place of the first, a multiple of four.
  __device__ static void put(T* at, float x, float y, float z, float w) {
    if constexpr (sizeof(T) == 2) {
      *reinterpret_cast<uint32_t*>(at) = pack_bf16(x, y);
      *reinterpret_cast<uint32_t*>(at + 8) = pack_bf16(z, w);
    } else {
      *reinterpret_cast<uint64_t*>(at) = both(x, z);
      *reinterpret_cast<uint64_t*>(at + 4) = both(y, w);
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
__device__ inline void load_step(uint32_t (&b)[4][2], const bf16* from, int) {
#pragma unroll
  for (int j = 0; j < 4; j += 2) {
    uint32_t r[4];
    load_transposed(r, from + j * 8);
    b[j][0] = r[0], b[j][1] = r[1], b[j + 1][0] = r[2], b[j + 1][1] = r[3];
  }
}

/// d += fragment * b.
template <class Kind>
__device__ inline void multiply_step(float (&d)[4][4], const uint4& fragment, const uint32_t (&b)[4][2]) {
  const uint32_t a[4] = {fragment.x, fragment.y, fragment.z, fragment.w};
#pragma unroll
  for (int j = 0; j < 4; ++j) multiply<typename Kind::Number, Kind::kExact>(d[j], a, b[j][0], b[j][1]);
}

/// d[i] += matrix i * the columns of a unit, over some steps; `at` is the unit's first source and column. Matrix i is a
/// row tile, its fragments for this lane begin at bank[i]. What a step needs is asked for a step before.
template <class Kind, int tiles>
__device__ void multiply_tiles(float (&d)[tiles][4][4], const typename Kind::Number* at, int pitch,
                               const uint4* const (&bank)[tiles], const Steps& steps) {
  if (steps.begin >= steps.end) return;
  const auto* from = lane_start(at, pitch) + steps.begin * Operand<Kind>::kStep * pitch;
  int step = steps.begin;
  uint32_t b[2][4][2];
  uint4 w[2][tiles];
  const auto load = [&](int turn) {
    load_step(b[turn], from, pitch);
#pragma unroll
    for (int i = 0; i < tiles; ++i) w[turn][i] = bank[i][step * 32];
    from += Operand<Kind>::kStep * pitch, ++step;
  };
  const auto multiply_all = [&](int turn) {
#pragma unroll
    for (int i = 0; i < tiles; ++i) multiply_step<Kind>(d[i], w[turn][i], b[turn]);
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

/// Calls body(count) with count = 1, 2 or 3 as a constant.
template <int value>
struct Together {
  static constexpr int kCount = value;
};
template <class Body>
__device__ void with_count(int count, const Body& body) {
  if (count == 1) return body(Together<1>{});
  if (count == 2) return body(Together<2>{});
  body(Together<3>{});
}

/// Goes through items that are (unit, row tile, group), units first, a block's warps side by side.
struct ItemWalk {
  int unit, tile, group;
  __device__ ItemWalk(int units, int tiles, int first_group)
      : unit(static_cast<int>(threadIdx.x) / 32), tile(0), group(first_group), units_(units), tiles_(tiles) {
    wrap();
  }
  __device__ void next() {
    unit += kMatrixThreads / 32;
    wrap();
  }

 private:
  int units_, tiles_;
  __device__ void wrap() {
    while (unit >= units_) {
      unit -= units_;
      if (++tile == tiles_) tile = 0, ++group;
    }
  }
};

/// A column of a tile whose columns are (position, channel of a slab).
struct Place {
  int position, channel;
  __device__ Place(int column, const MatrixTile& t)
      : position(static_cast<int>(static_cast<uint64_t>(column) * t.by_channels >> 31)),
        channel(column - position * t.channels) {}
};

}  // namespace scdcf::ops::cuda
