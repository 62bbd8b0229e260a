// The last step of the streamed gradient of the mixing matrices: adds up the slices that the blocks wrote, in a fixed
// order, and puts each sum where it belongs.
#pragma once

#include "scdcf/ops/cuda/machine/number_format.cuh"
#include "scdcf/ops/cuda/streamed/streamed_gradient.h"

namespace scdcf::ops::cuda {

/// Counted from the first of the tile.
struct SumPlace {
  int row_mode, column_mode, in_channel, out_channel;
};

/// Of 16 rows of a product, whose thread has rows r and r + 8: the channel in its group of 16.
__device__ inline int channel_of(int row) { return row % 8 * 2 + row / 8; }

/// As the warps wrote their sums: 64 x 128 per tile of rows, in pieces of four per lane.
__device__ inline SumPlace place_of(int number, int row_tiles) {
  const int r = number % 4, lane = number / 4 % 32, column = number / 128 % 16 * 8 + lane % 4 * 2 + r % 2;
  const int t = number / 2048 % row_tiles, warp = number / 2048 / row_tiles % 4, group = number / 2048 / row_tiles / 4;
  return {column / 32, row_tiles == 2 ? group * 2 + t : warp, column % 32 / 16 * 16 + channel_of(column % 16),
          (row_tiles == 2 ? warp : group) * 16 + channel_of(lane / 4 + r / 2 * 8)};
}

struct SliceParams {
  int in_channels, out_channels, mode_count, row_group, row_groups, column_group, column_groups, in_tiles, out_tiles;
  int sums, row_tiles, out_wide;  // sums of a slice; row_tiles and output channels of a tile
  int border_bits;
  int16_t slice_begin[kMaxMixings + 1];
  int16_t index[kMaxFactors][kMaxFactors];  // [column mode][row mode] -> k or -1
};

/// One thread per sum of a block, in the order in which the block wrote them.
__global__ void add_slices_kernel(const __grid_constant__ SliceParams p, const float* partial,
                                  const Magnitudes* magnitudes, float* grad_mixing, int64_t count) {
  const int64_t index = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= count) return;
  const int tiles = p.in_tiles * p.row_groups * p.out_tiles * p.column_groups;
  const int number = int(index % p.sums), tile = int(index / p.sums % tiles), j = int(index / p.sums / tiles);
  float sum = 0;
#pragma unroll 8
  for (int s = p.slice_begin[j]; s < p.slice_begin[j + 1]; ++s)
    sum += partial[(int64_t(s) * tiles + tile) * p.sums + number];
  const SumPlace at = place_of(number, p.row_tiles);
  if (at.column_mode >= p.column_group || at.row_mode >= p.row_group) return;
  int rest = tile;
  const int column_mode = at.column_mode + take_digit(rest, p.column_groups) * p.column_group;
  const int o = at.out_channel + take_digit(rest, p.out_tiles) * p.out_wide;
  const int row_mode = at.row_mode + rest % p.row_groups * p.row_group;
  const int c = at.in_channel + rest / p.row_groups * kChunk;
  if (c >= p.in_channels || o >= p.out_channels || column_mode >= kMaxFactors || row_mode >= kMaxFactors) return;
  const int k = p.index[column_mode][row_mode];
  if (k < 0) return;
  const Scales scales = scales_of(true, p.border_bits, magnitudes);
  grad_mixing[((int64_t(j) * p.mode_count + k) * p.in_channels + c) * p.out_channels + o] =
      sum / scales.source / scales.first / scales.second / scales.grad;
}

inline void add_slices(const DeviceProblem& p, const StreamedGradientPlan& g, const Magnitudes* magnitudes,
                       const float* partial, float* grad_mixing, cudaStream_t stream) {
  const MixingPlan& m = g.mixing;
  SliceParams q{};
  q.in_channels = p.in_channels, q.out_channels = p.out_channels, q.mode_count = p.mode_count;
  q.row_group = m.rows.group, q.row_groups = m.rows.groups, q.in_tiles = m.in_tiles;
  q.column_group = m.columns.group, q.column_groups = m.columns.groups, q.out_tiles = m.out_tiles;
  q.sums = g.sums, q.row_tiles = g.row_tiles, q.out_wide = g.wide, q.border_bits = g.border_bits;
  for (int j = 0; j <= p.mixings; ++j) q.slice_begin[j] = m.slice_begin[j];
  for (auto& row : q.index)
    for (auto& k : row) k = -1;
  for (int k = 0; k < p.mode_count; ++k) q.index[p.modes[k].column][p.modes[k].row] = static_cast<int16_t>(k);
  const int64_t count = int64_t(p.mixings) * m.tiles() * g.sums;
  launch(add_slices_kernel, divide_up(count, 256), 256, 0, stream, q, partial, magnitudes, grad_mixing, count);
}

}  // namespace scdcf::ops::cuda
