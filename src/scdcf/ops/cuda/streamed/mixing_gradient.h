// The work of the streamed gradient of the mixing matrices (streamed_gradient.h), cut into tiles and slices.
//
//   grad_mixing[j][(a,b)][c][o] = sum over scales and sources that use j, images, input rows v and output columns x of
//                                 U_b[v, x, c] * dV_a[v, x, o]
// with U the row pass of the input and dV the adjoint column pass of grad_out. A block owns some channels and up to
// four modes of either kind, and a slice of the pixels of one mixing matrix; a second kernel adds the slices in a fixed
// order.
#pragma once

#include "scdcf/ops/cuda/problem/line_bank.h"
#include "scdcf/ops/cuda/problem/mixing_slices.h"

namespace scdcf::ops::cuda {

constexpr int kGradientModes = 4;  // modes of one kind per block

struct MixingPlan : MixingSlices {
  int batch, planes, scales, in_channels, out_channels, in_width, out_width, in_pixels, out_pixels;
  LineBank rows, columns;  // of U along x and of dV along y
  int in_tiles, out_tiles;
  int16_t radius[kMaxScales];

  /// Channel tiles times groups of modes: blocks per slice.
  __host__ __device__ int tiles() const { return in_tiles * rows.groups * out_tiles * columns.groups; }
  __host__ __device__ int units_per_pair() const { return rows.tiles * columns.tiles * batch; }
};

/// One unit of work: a pair, a tile of output columns x and input rows v, and an image.
struct GradientUnit {
  int pair, x_tile, v_tile, image0;
};

__host__ __device__ inline GradientUnit unit_of(const MixingPlan& m, int pair_begin, int index) {
  GradientUnit t;
  int rest = index;
  t.image0 = rest % m.batch;
  rest /= m.batch;
  t.x_tile = rest % m.rows.tiles;
  rest /= m.rows.tiles;
  t.v_tile = rest % m.columns.tiles;
  t.pair = pair_begin + rest / m.columns.tiles;
  return t;
}

/// What a block does: its channels, groups of modes, and units [begin, end) of one mixing matrix.
struct GradientTask {
  int in0, row_group, out0, column_group, pair0, begin, end;
};

__host__ __device__ inline GradientTask task_of(const MixingPlan& m, int block, int out_wide) {
  GradientTask t;
  int rest = block;
  t.column_group = rest % m.columns.groups;
  rest /= m.columns.groups;
  t.out0 = rest % m.out_tiles * out_wide;
  rest /= m.out_tiles;
  t.row_group = rest % m.rows.groups;
  rest /= m.rows.groups;
  t.in0 = rest % m.in_tiles * kChunk;
  const SlicePart part = m.part(rest / m.in_tiles, m.units_per_pair());
  t.pair0 = part.pair0, t.begin = part.begin, t.end = part.end;
  return t;
}

static_assert(sizeof(MixingPlan) <= 4000, "kernel parameters");

/// The sizes, banks and pairs, before a tiling is chosen.
MixingPlan plan_pairs(const DeviceProblem& p);
/// The fewest tiles of at most 16 targets and 24 sources, or false.
bool cut_gradient(LineBank& bank, int radius);

}  // namespace scdcf::ops::cuda
