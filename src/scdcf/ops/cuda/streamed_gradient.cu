#include "scdcf/ops/cuda/streamed_gradient.h"

#include "scdcf/ops/cuda/gradient_slices.cuh"
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
  const GradientTask task = task_of(g.mixing, blockIdx.x, kChunk, g.wide);
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

/// Of 16 rows of a product, whose thread has rows r and r + 8: the channel in its group of 16.
__device__ inline int channel_of(int row) { return row % 8 * 2 + row / 8; }

/// As the warps wrote their sums: 64 x 128 per tile of rows, in pieces of four per lane.
struct StreamedLayout {
  int row_tiles, sums;

  __host__ __device__ int count() const { return sums; }
  __device__ float read(const float* slice, int number) const { return slice[number]; }
  __device__ SumPlace place(int number) const {
    const int r = number % 4, lane = number / 4 % 32, column = number / 128 % 16 * 8 + lane % 4 * 2 + r % 2;
    const int t = number / 2048 % row_tiles, warp = number / 2048 / row_tiles % 4,
              group = number / 2048 / row_tiles / 4;
    return {column / 32, row_tiles == 2 ? group * 2 + t : warp, column % 32 / 16 * 16 + channel_of(column % 16),
            (row_tiles == 2 ? warp : group) * 16 + channel_of(lane / 4 + r / 2 * 8)};
  }
};

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
  add_slices(p, m, StreamedLayout{g.row_tiles, g.sums}, g.sums, kChunk, g.wide, partial, grad_mixing, stream);
}

}  // namespace scdcf::ops::cuda
