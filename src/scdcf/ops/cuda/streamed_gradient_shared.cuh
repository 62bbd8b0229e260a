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

/// What a block does: its channels, groups of modes, and units [begin, end) of one mixing matrix.
struct GradientTask {
  int in0, row_group, out0, column_group, pair0, begin, end;
};

__device__ inline GradientTask task_of(const StreamedGradientPlan& g) {
  const MixingPlan& m = g.mixing;
  GradientTask t;
  int rest = blockIdx.x;
  t.column_group = rest % m.columns.groups;
  rest /= m.columns.groups;
  t.out0 = rest % m.out_tiles * g.wide;
  rest /= m.out_tiles;
  t.row_group = rest % m.rows.groups;
  rest /= m.rows.groups;
  t.in0 = rest % m.in_tiles * 32;
  const int slice = rest / m.in_tiles;
  int mixing = 0;
  while (m.slice_begin[mixing + 1] <= slice) ++mixing;
  t.pair0 = m.pair_begin[mixing];
  const int slices = m.slice_begin[mixing + 1] - m.slice_begin[mixing], mine = slice - m.slice_begin[mixing];
  const int64_t units = int64_t(m.units_per_pair()) * (m.pair_begin[mixing + 1] - t.pair0);
  t.begin = int(units * mine / slices), t.end = int(units * (mine + 1) / slices);
  return t;
}

}  // namespace scdcf::ops::cuda
#endif
