#include "scdcf/ops/cuda/streamed_gradient.h"

#include "scdcf/ops/cuda/streamed_gradient_consumer.cuh"
#include "scdcf/ops/cuda/streamed_gradient_producer.cuh"

namespace scdcf::ops::cuda {
namespace {

template <class Tile>
__global__ void __launch_bounds__(Tile::threads, 1)
    streamed_gradient_kernel(const __grid_constant__ StreamedGradientPlan g, const float* in, const float4* rows,
                             const float4* columns, const float* grad_out, float* partial) {
#ifdef SCDCF_HOPPER_CODE
  const GradientRing<Tile> ring;
  const GradientTask task = task_of(g);
  ring.init();
  sync_block();
  if (threadIdx.x < Tile::consumers * 128) {
    more_registers<Tile::consumer_registers>();
    consume<Tile>(g, task, columns, grad_out, partial, ring);
  } else {
    fewer_registers<Tile::producer_registers>();
    produce<Tile>(g, task, in, rows, ring);
  }
#endif
}

struct ReduceParams {
  int in_channels, out_channels, mode_count, row_group, row_groups, column_group, column_groups, in_tiles, out_tiles;
  int row_tiles, wide, sums;
  int16_t slice_begin[kMaxMixings + 1];
  int16_t index[kMaxFactors][kMaxFactors];  // [column mode][row mode] -> k or -1
};

/// Of 16 rows of a product, whose thread has rows r and r + 8: the channel in its group of 16.
__device__ inline int channel_of(int row) { return row % 8 * 2 + row / 8; }

/// One thread per sum of a block, in the order in which the warps wrote them.
__global__ void streamed_reduce_kernel(const __grid_constant__ ReduceParams p, const float* partial, float* grad_mixing,
                                       int64_t count) {
  const int64_t index = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= count) return;
  const int tiles = p.in_tiles * p.row_groups * p.out_tiles * p.column_groups;
  const int place = int(index % p.sums), tile = int(index / p.sums % tiles), j = int(index / p.sums / tiles);
  float sum = 0;
#pragma unroll 8
  for (int s = p.slice_begin[j]; s < p.slice_begin[j + 1]; ++s)
    sum += partial[(int64_t(s) * tiles + tile) * p.sums + place];
  const int r = place % 4, lane = place / 4 % 32, column = place / 128 % 16 * 8 + lane % 4 * 2 + r % 2;
  const int t = place / 2048 % p.row_tiles, warp = place / 2048 / p.row_tiles % 4,
            group = place / 2048 / p.row_tiles / 4;
  int c = column % 32 / 16 * 16 + channel_of(column % 16), row_mode = column / 32;
  int o = (p.row_tiles == 2 ? warp : group) * 16 + channel_of(lane / 4 + r / 2 * 8),
      column_mode = p.row_tiles == 2 ? group * 2 + t : warp;
  if (column_mode >= p.column_group || row_mode >= p.row_group) return;
  int rest = tile;
  column_mode += rest % p.column_groups * p.column_group;
  rest /= p.column_groups;
  o += rest % p.out_tiles * p.wide;
  rest /= p.out_tiles;
  row_mode += rest % p.row_groups * p.row_group;
  c += rest / p.row_groups * 32;
  if (c >= p.in_channels || o >= p.out_channels || column_mode >= kMaxFactors || row_mode >= kMaxFactors) return;
  const int k = p.index[column_mode][row_mode];
  if (k >= 0) grad_mixing[((int64_t(j) * p.mode_count + k) * p.in_channels + c) * p.out_channels + o] = sum;
}

}  // namespace

void run_streamed_gradient(const DeviceProblem& p, const StreamedGradientPlan& g, const float* in, const float4* rows,
                           const float4* columns, const float* grad_out, float* partial, float* grad_mixing,
                           cudaStream_t stream) {
  const MixingPlan& m = g.mixing;
  visit_tile(g, [&](auto tile) {
    using Tile = decltype(tile);
    launch(streamed_gradient_kernel<Tile>, int64_t(m.slices) * m.tiles(), Tile::threads, Tile::shared_bytes, stream, g,
           in, rows, columns, grad_out, partial);
  });
  ReduceParams r{};
  r.in_channels = p.in_channels, r.out_channels = p.out_channels, r.mode_count = p.mode_count;
  r.row_group = m.rows.group, r.row_groups = m.rows.groups, r.in_tiles = m.in_tiles;
  r.column_group = m.columns.group, r.column_groups = m.columns.groups, r.out_tiles = m.out_tiles;
  r.row_tiles = g.row_tiles, r.wide = g.wide, r.sums = g.sums;
  for (int j = 0; j <= p.mixings; ++j) r.slice_begin[j] = m.slice_begin[j];
  for (auto& row : r.index)
    for (auto& k : row) k = -1;
  for (int k = 0; k < p.mode_count; ++k) r.index[p.modes[k].column][p.modes[k].row] = static_cast<int16_t>(k);
  const int64_t count = int64_t(p.mixings) * m.tiles() * g.sums;
  launch(streamed_reduce_kernel, divide_up(count, 256), 256, 0, stream, r, static_cast<const float*>(partial),
         grad_mixing, count);
}

}  // namespace scdcf::ops::cuda
