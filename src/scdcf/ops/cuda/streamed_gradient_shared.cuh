// Shared memory of the streamed gradient, its factors, and its walk over the units.
#pragma once

#include "scdcf/ops/cuda/hopper_products.cuh"
#include "scdcf/ops/cuda/matrix_tiles.cuh"
#include "scdcf/ops/cuda/streamed_gradient.h"

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
  __device__ float2* factors() const {
    return reinterpret_cast<float2*>(memory + Tile::factors_at + threadIdx.x / 128 * Tile::factor_bytes);
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

  /// The fragments of a bank as right operands of the warpgroup's pass, in an order in which a thread's two columns are
  /// targets q and q + 4. Modes that are not there repeat the last one; nobody uses their results.
  __device__ void load_factors(const float4* fragments, int modes) const {
    sync_group();
    for (int i = threadIdx.x % 128; i < Tile::half_factors; i += 128) {
      const int lane = i % 32, step = i / 32 % Tile::depth, mode = min(i / 32 / Tile::depth, modes - 1);
      const float4 w = fragments[(mode * Tile::depth + step) * 32 + (lane / 8 + lane / 4 % 2 * 4) * 4 + lane % 4];
      factors()[i] = make_float2(w.x, w.z);
      factors()[i + Tile::half_factors] = make_float2(w.y, w.w);
    }
    sync_group();
  }
};

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
