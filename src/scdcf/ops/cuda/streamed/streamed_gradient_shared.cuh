// Shared memory of the streamed gradient, its factors, and its walk over the units.
#pragma once

#include "scdcf/ops/cuda/machine/hopper_products.cuh"
#include "scdcf/ops/cuda/machine/number_format.cuh"
#include "scdcf/ops/cuda/streamed/streamed_gradient.h"

#ifdef SCDCF_HOPPER_CODE
namespace scdcf::ops::cuda {

template <class Tile>
struct GradientRing {
  char* memory = shared_memory();
  Barrier* barriers = reinterpret_cast<Barrier*>(memory + Tile::barriers_at);

  __device__ char* stage(int slot) const { return memory + slot * Tile::stage_bytes; }
  __device__ Barrier* full(int slot) const { return barriers + slot; }
  __device__ Barrier* empty(int slot) const { return barriers + Tile::slots + slot; }
  /// Of this thread's warpgroup: [eight targets][mode][step][lane].
  __device__ uint2* factors() const {
    return reinterpret_cast<uint2*>(memory + Tile::factors_at + threadIdx.x / 128 * Tile::factor_bytes);
  }
  __device__ void init() const {
    if (threadIdx.x == 0) {
      for (int i = 0; i < Tile::slots; ++i) {
        init_barrier(full(i), 4);
        init_barrier(empty(i), Tile::consumers * 4);
      }
      fence_barriers();
    }
  }

  /// The fragments of a bank as right operands of the warpgroup's pass. Modes that are not there repeat the last one;
  /// nobody uses their results.
  __device__ void load_factors(const uint4* fragments, int modes) const {
    sync_group();
    for (int i = threadIdx.x % 128; i < Tile::half_factors; i += 128) {
      const int lane = i % 32, step = i / 32 % Tile::steps, mode = min(i / 32 / Tile::steps, modes - 1);
      const uint4 w = fragments[(mode * Tile::steps + step) * 32 + lane];
      factors()[i] = make_uint2(w.x, w.z);
      factors()[i + Tile::half_factors] = make_uint2(w.y, w.w);
    }
    sync_group();
  }
};

/// Two neighbouring channels of a position as they are in memory.
template <class T>
struct TwoChannels;
template <>
struct TwoChannels<float> {
  float2 x;
  __device__ void load(const float* at) { x = *reinterpret_cast<const float2*>(at); }
};
template <>
struct TwoChannels<bf16> {
  uint32_t x;
  __device__ void load(const bf16* at) { x = *reinterpret_cast<const uint32_t*>(at); }
};

/// Words of a left operand from two neighbouring positions: of the even channel (row l) and of the odd one (row l + 8).
__device__ inline void make_words(const TwoChannels<float>& low, const TwoChannels<float>& high, float scale,
                                  uint32_t& even, uint32_t& odd) {
  even = pack_half(low.x.x * scale, high.x.x * scale), odd = pack_half(low.x.y * scale, high.x.y * scale);
}
__device__ inline void make_words(const TwoChannels<bf16>& low, const TwoChannels<bf16>& high, float, uint32_t& even,
                                  uint32_t& odd) {
  even = (low.x & 0xffffu) | high.x << 16, odd = low.x >> 16 | (high.x & 0xffff0000u);
}
/// Left operands of a line, step after step; positions are 8 k + 2 t and + 1 of lane t.
template <class T, int depth>
__device__ inline void make_line(const TwoChannels<T> (&from)[2 * depth], float scale,
                                 uint32_t (&to)[(depth + 1) / 2][4]) {
#  pragma unroll
  for (int k = 0; k < (depth + 1) / 2 * 2; ++k) {
    uint32_t &even = to[k / 2][k % 2 * 2], &odd = to[k / 2][k % 2 * 2 + 1];
    if (k < depth)
      make_words(from[2 * k], from[2 * k + 1], scale, even, odd);
    else
      even = odd = 0;
  }
}

/// A place in the ring; the parity of its turn.
template <class Tile>
struct RingCursor {
  int slot = 0;
  uint32_t parity = 0;
  __device__ void advance() {
    if (++slot == Tile::slots) slot = 0, parity ^= 1;
  }
};

}  // namespace scdcf::ops::cuda
#endif
