// How the fused kernel walks one direction of the problem (direction.h).
//
// A block owns `images` images of one destination plane, first.tile positions along p and second.tile along q (all of q
// if it fits: only splitting q makes the mix recompute a halo). It runs through the stages of its plane. Blocks are
// small, so that three share a multiprocessor and the passes of one run beside the mix of another.
#pragma once

#include "scdcf/ops/cuda/direction.h"

namespace scdcf::ops::cuda {

constexpr int kRowTiles =
    7;  // 16-row tiles of the mix per warp: 112 pixels, for 98 = 2 * 49 = 196 / 2 and 112 = 4 * 28
constexpr int kColumnTiles = 4;  // 8-column tiles per warp
constexpr int kFusedWarps = 12;

struct FusedPlan : Direction {
  uint32_t pairs[kMaxFactors];  // bit f of pairs[g]: mode (first f, second g) exists
  int images, groups, lines, chunks, wide, wides, warps_m, warps_n;
  int result_rows;                 // pixels of the result per second mode, with what the second pass reads beyond
  int second_turns, second_slots;  // units of the second pass per warp, and pairs of sums that a lane has per unit
  int table_offset, sum_offset, shared_bytes;

  __host__ __device__ int warps() const { return warps_m * warps_n; }
  __host__ __device__ int rows() const { return warps_m * kRowTiles * 16; }
  int64_t blocks() const { return int64_t(target_planes) * groups * first.tiles * second.tiles * wides; }
  int64_t packed_words(int mixings, int element) const;  // 32-bit words of packed mixing matrices
};

static_assert(sizeof(FusedPlan) <= 4000, "kernel parameters");

/// The cheapest tiling by a simple cost model, or false when none fits. element: bytes per number of the mix operands.
bool plan_fused(const DeviceProblem& p, bool forward, int element, FusedPlan& plan);

}  // namespace scdcf::ops::cuda
