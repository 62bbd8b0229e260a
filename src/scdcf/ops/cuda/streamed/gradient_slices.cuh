// The last step of the gradient of the mixing matrices: adds up the slices that the blocks wrote, in a fixed order, and
// puts each sum where it belongs.
//
// A kernel that writes slices has a Layout: how many sums a block has (`count`), how one is read from a slice (`read`),
// and which modes and channels of the block's tile it is (`place`).
#pragma once

#include "scdcf/ops/cuda/machine/number_format.cuh"
#include "scdcf/ops/cuda/streamed/mixing_gradient.h"

namespace scdcf::ops::cuda {

/// Counted from the first of the tile.
struct SumPlace {
  int row_mode, column_mode, in_channel, out_channel;
};

struct SliceParams {
  int in_channels, out_channels, mode_count, row_group, row_groups, column_group, column_groups, in_tiles, out_tiles;
  int slice, in_wide, out_wide;  // numbers of a slice, channels of a tile
  int border_bits;
  int16_t slice_begin[kMaxMixings + 1];
  int16_t index[kMaxFactors][kMaxFactors];  // [column mode][row mode] -> k or -1
};

/// One thread per sum of a block, in the order in which the block wrote them.
template <class Layout>
__global__ void add_slices_kernel(const __grid_constant__ SliceParams p, const Layout layout, const float* partial,
                                  const Magnitudes* magnitudes, float* grad_mixing, int64_t count) {
  const int64_t index = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= count) return;
  const int tiles = p.in_tiles * p.row_groups * p.out_tiles * p.column_groups;
  const int number = int(index % layout.count()), tile = int(index / layout.count() % tiles),
            j = int(index / layout.count() / tiles);
  float sum = 0;
#pragma unroll 8
  for (int s = p.slice_begin[j]; s < p.slice_begin[j + 1]; ++s)
    sum += layout.read(partial + (int64_t(s) * tiles + tile) * p.slice, number);
  const SumPlace at = layout.place(number);
  if (at.column_mode >= p.column_group || at.row_mode >= p.row_group) return;
  int rest = tile;
  const int column_mode = at.column_mode + take_digit(rest, p.column_groups) * p.column_group;
  const int o = at.out_channel + take_digit(rest, p.out_tiles) * p.out_wide;
  const int row_mode = at.row_mode + rest % p.row_groups * p.row_group;
  const int c = at.in_channel + rest / p.row_groups * p.in_wide;
  if (c >= p.in_channels || o >= p.out_channels || column_mode >= kMaxFactors || row_mode >= kMaxFactors) return;
  const int k = p.index[column_mode][row_mode];
  if (k < 0) return;
  const Scales scales = scales_of(true, p.border_bits, magnitudes);
  grad_mixing[((int64_t(j) * p.mode_count + k) * p.in_channels + c) * p.out_channels + o] =
      sum / scales.source / scales.first / scales.second / scales.grad;
}

template <class Layout>
void add_slices(const DeviceProblem& p, const MixingPlan& m, const Layout& layout, int slice, int in_wide, int out_wide,
                int border_bits, const Magnitudes* magnitudes, const float* partial, float* grad_mixing,
                cudaStream_t stream) {
  SliceParams q{};
  q.in_channels = p.in_channels, q.out_channels = p.out_channels, q.mode_count = p.mode_count;
  q.row_group = m.rows.group, q.row_groups = m.rows.groups, q.in_tiles = m.in_tiles;
  q.column_group = m.columns.group, q.column_groups = m.columns.groups, q.out_tiles = m.out_tiles;
  q.slice = slice, q.in_wide = in_wide, q.out_wide = out_wide, q.border_bits = border_bits;
  for (int j = 0; j <= p.mixings; ++j) q.slice_begin[j] = m.slice_begin[j];
  for (auto& row : q.index)
    for (auto& k : row) k = -1;
  for (int k = 0; k < p.mode_count; ++k) q.index[p.modes[k].column][p.modes[k].row] = static_cast<int16_t>(k);
  const int64_t count = int64_t(p.mixings) * m.tiles() * layout.count();
  launch(add_slices_kernel<Layout>, divide_up(count, 256), 256, 0, stream, q, layout, partial, magnitudes, grad_mixing,
         count);
}

}  // namespace scdcf::ops::cuda
