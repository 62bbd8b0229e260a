// The gradient of the mixing matrices, fused: both 1-D passes and the product over pixels in one block.
//
//   grad_mixing[j][(a,b)][c][o] = sum over scales and sources that use j, images, input rows v and output columns x of
//                                 U_b[v, x, c] * dV_a[v, x, o]
// with U the row pass of the input and dV the adjoint column pass of grad_out. A block owns 32 input channels with up
// to four row modes, 32 output channels with up to four column modes, and a slice of the pixels of one mixing matrix; a
// second kernel adds the slices in a fixed order. Two blocks share a multiprocessor: the passes of one run beside the
// product of the other.
#pragma once

#include "scdcf/ops/cuda/line_bank.h"

namespace scdcf::ops::cuda {

constexpr int kGradientModes = 4;                                 // modes of one kind per block
constexpr int kGradientRowTiles = 4, kGradientColumnTiles = 8;    // a warp holds 64 x 64 sums
constexpr int kGradientThreads = 128, kGradientSums = 128 * 128;  // 2 x 2 warps

struct GradientPair {
  int16_t plane, scale;
};

struct MixingPlan {
  int batch, planes, scales, in_channels, out_channels, in_width, out_width, in_pixels, out_pixels, mixings;
  LineBank rows, columns;  // of U along x and of dV along y
  int images, groups, in_tiles, out_tiles;
  int pixels;  // of a unit, rounded up to a step of the product
  int out_operand, row_table, column_table, shared_bytes;
  int slices;
  int16_t radius[kMaxScales];
  int16_t pair_begin[kMaxMixings + 1], slice_begin[kMaxMixings + 1];
  GradientPair pairs[kMaxSources];

  /// Channel tiles times groups of modes: blocks per slice.
  __host__ __device__ int tiles() const { return in_tiles * rows.groups * out_tiles * columns.groups; }
  __host__ __device__ int units_per_pair() const { return rows.tiles * columns.tiles * groups; }
  int64_t partial_floats() const { return int64_t(slices) * tiles() * kGradientSums; }
};

/// One unit of work: a pair, a tile of output columns x and input rows v, and a group of images.
struct GradientUnit {
  int pair, x_tile, v_tile, image0, images;
};

__host__ __device__ inline GradientUnit unit_of(const MixingPlan& m, int pair_begin, int index) {
  GradientUnit t;
  int rest = index;
  t.image0 = rest % m.groups * m.images;
  rest /= m.groups;
  t.x_tile = rest % m.rows.tiles;
  rest /= m.rows.tiles;
  t.v_tile = rest % m.columns.tiles;
  t.pair = pair_begin + rest / m.columns.tiles;
  t.images = m.images < m.batch - t.image0 ? m.images : m.batch - t.image0;
  return t;
}

/// What a block does: its channels, groups of modes, and units [begin, end) of one mixing matrix.
struct GradientTask {
  int in0, row_group, out0, column_group, pair0, begin, end;
};

__host__ __device__ inline GradientTask task_of(const MixingPlan& m, int block, int in_wide, int out_wide) {
  GradientTask t;
  int rest = block;
  t.column_group = rest % m.columns.groups;
  rest /= m.columns.groups;
  t.out0 = rest % m.out_tiles * out_wide;
  rest /= m.out_tiles;
  t.row_group = rest % m.rows.groups;
  rest /= m.rows.groups;
  t.in0 = rest % m.in_tiles * in_wide;
  const int slice = rest / m.in_tiles;
  int mixing = 0;
  while (m.slice_begin[mixing + 1] <= slice) ++mixing;
  t.pair0 = m.pair_begin[mixing];
  const int slices = m.slice_begin[mixing + 1] - m.slice_begin[mixing], mine = slice - m.slice_begin[mixing];
  const int64_t units = int64_t(m.units_per_pair()) * (m.pair_begin[mixing + 1] - t.pair0);
  t.begin = int(units * mine / slices), t.end = int(units * (mine + 1) / slices);
  return t;
}

static_assert(sizeof(MixingPlan) <= 4000, "kernel parameters");

/// The sizes, banks and pairs, before a tiling is chosen.
MixingPlan plan_pairs(const DeviceProblem& p);
/// The fewest tiles of at most 16 targets and 24 sources, or false.
bool cut_gradient(LineBank& bank, int radius);
/// As many slices as fill `blocks` places once; each mixing matrix gets its share.
void fill_slices(const DeviceProblem& p, MixingPlan& plan, int blocks);
bool plan_mixing_gradient(const DeviceProblem& p, int element, MixingPlan& plan);
/// `rows` and `columns` are the fragments of the plan's two banks.
void run_mixing_gradient(const DeviceProblem& p, const MixingPlan& plan, const void* in, const float4* rows,
                         const float4* columns, const void* grad_out, float* partial, float* grad_mixing, DataType type,
                         Precision precision, cudaStream_t stream);

}  // namespace scdcf::ops::cuda
