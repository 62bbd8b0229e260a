// How the chained kernel walks one direction of the problem (the walk itself is that of fused_plan.h).
//
// A warp of this kernel holds `row_tiles` tiles of 16 pixels, each one line v with up to 16 targets p of the first pass
// (or two lines with up to 8), and all columns of the mix. The sums of the first pass lie in its registers as the
// tensor core's left operand wants them, up to the order of the channels, which the packed mixing matrices repeat:
// first pass and mix are one chain of tensor instructions without shared memory between them. Mixing matrices and lines
// come through a ring in shared memory, two steps of 32 bytes of channels ahead of use. A block owns whole lines along
// q.
#pragma once

#include "scdcf/ops/cuda/fused_plan.h"

namespace scdcf::ops::cuda {

constexpr int kChainedWarps = 8, kMatrixRing = 3, kLineRing = 2;

/// The compiled shapes: row tiles and column tiles of a warp, lines in a row tile, steps of eight positions of a line.
struct ChainedShape {
  int row_tiles, column_tiles, stack, depth;
};
constexpr ChainedShape kChainedShapes[] = {{2, 16, 1, 2}, {2, 16, 2, 1}, {4, 8, 1, 3}};

struct ChainedPlan {
  FusedPlan walk;  // chunks: steps of the mix; warps_m: warps; lines, images, groups, wide and the banks as there
  int shape, column_tiles;
  int work, blocks;                                  // units of work, and blocks that are launched: see UnitWalk
  int pitch;                                         // rows of the result per line: odd, for the banks
  int matrix_words, line_words;                      // 32-bit words per slot of the ring: mixing matrices and lines
  int line_ring, result, sums;                       // byte offsets in shared memory; the matrix ring is first
  int second_columns, second_tiles, units, columns;  // of the second pass: see second_pass() in chained.cu

  int64_t packed_words(int mixings) const { return int64_t(mixings) * walk.wides * walk.chunks * matrix_words; }
};

static_assert(sizeof(ChainedPlan) <= 4040, "kernel parameters");

/// The cheapest of the compiled shapes that holds the problem, or false. element: bytes per number of the maps.
bool plan_chained(const DeviceProblem& p, bool forward, int element, ChainedPlan& plan);

}  // namespace scdcf::ops::cuda
