// Consumers of the streamed gradient: the adjoint column pass in registers, and the product.
#pragma once

#include "scdcf/ops/cuda/streamed/streamed_gradient_shared.cuh"

#ifdef SCDCF_HOPPER_CODE
namespace scdcf::ops::cuda {

/// Reads 16 channels of grad_out, a batch of columns x at a time.
template <class Tile, class T>
struct GradReader {
  static constexpr int depth = Tile::depth, batch = Tile::batch, step = Tile::batch * Tile::ahead;
  const T* image;               // its first column and position
  uint32_t offset[2 * depth];   // of this lane's two channels at its positions
  int index, images, x, count;  // unit, images of its tile left after it; column of a unit, columns that it has

  __device__ void start(const MixingPlan& m, const GradientTask& task, const T* grad_out, int channel) {
    const GradientUnit unit = unit_of(m, task.pair0, index);
    const int scale = m.pairs[unit.pair].scale;
    const LineSpan ys = m.columns.reach(m.radius[scale], unit.v_tile), xs = m.rows.targets_of(unit.x_tile);
    x = 0, count = xs.count, images = m.batch - 1 - unit.image0;
    image = grad_out +
            ((int64_t(unit.image0) * m.scales + scale) * m.out_pixels + int64_t(ys.begin) * m.out_width + xs.begin) *
                m.out_channels;
#  pragma unroll
    for (int k = 0; k < 2 * depth; ++k)  // beyond the last: the last one, whose factor is zero there
      offset[k] =
          min(k / 2 * 8 + int(threadIdx.x) % 4 * 2 + k % 2, ys.count - 1) * m.out_width * m.out_channels + channel;
  }
  /// Columns beyond the last are the last: the row pass is zero there.
  __device__ void fetch(const MixingPlan& m, TwoChannels<T> (&lines)[batch][2 * depth]) const {
#  pragma unroll
    for (int i = 0; i < batch; ++i) {
      const T* column = image + min(x + i, count - 1) * m.out_channels;
#  pragma unroll
      for (int k = 0; k < 2 * depth; ++k) lines[i][k].load(column + offset[k]);
    }
  }
  __device__ void next(const MixingPlan& m, const GradientTask& task, const T* grad_out, int channel) {
    if ((x += batch) < round_up(m.rows.tile, step)) return;
    x = 0;
    if (index + 1 == task.end) return;
    ++index;
    if (--images >= 0)
      image += int64_t(m.scales) * m.out_pixels * m.out_channels;
    else
      start(m, task, grad_out, channel);
  }
};

/// sums += the batch's column pass * the stage's row pass, whose operand is `right`. The pass waits for the products
/// before it: both need the tensor cores, and in the meantime another warpgroup has them.
template <class Tile, class T>
__device__ inline void multiply_batch(float (&acc)[Tile::row_tiles][64],
                                      const TwoChannels<T> (&fetched)[Tile::batch][2 * Tile::depth], float scale,
                                      const uint2* factors, uint64_t right) {
  constexpr int row_tiles = Tile::row_tiles, steps = Tile::steps, halves = Tile::halves;
  float d[row_tiles][Tile::batch * halves][4];  // eights of (x, v)
  uint32_t lines[Tile::batch][steps][4];
#  pragma unroll
  for (int i = 0; i < Tile::batch; ++i) make_line<T, Tile::depth>(fetched[i], scale, lines[i]);
  wait_products<0>();
#  pragma unroll
  for (int part = 0; part < halves * row_tiles; ++part)
#  pragma unroll
    for (int k = 0; k < steps; ++k) {
      const uint2 w = factors[part / row_tiles * Tile::half_factors + (part % row_tiles * steps + k) * 32];
#  pragma unroll
      for (int i = 0; i < Tile::batch; ++i)
        multiply_16<T>(d[part % row_tiles][i * halves + part / row_tiles], lines[i][k], w.x, w.y, k == 0);
    }
  uint32_t left[Tile::products][row_tiles][4];
#  pragma unroll
  for (int i = 0; i < Tile::products * row_tiles * 4; ++i) {
    const float(&from)[4] = d[i / 4 % row_tiles][i / 4 / row_tiles * 2 + i % 4 / 2];
    left[i / 4 / row_tiles][i / 4 % row_tiles][i % 4] = pack_here<T>(from[i % 2 * 2], from[i % 2 * 2 + 1]);
  }
  begin_products();
#  pragma unroll
  for (int i = 0; i < Tile::products * row_tiles; ++i)
    multiply_rows<T>(acc[i % row_tiles], left[i / row_tiles][i % row_tiles], right + i / row_tiles * 2);
  commit_products();
}

template <class Tile, class T>
__device__ void consume(const StreamedGradientPlan& g, const GradientTask& task, const uint4* columns,
                        const T* grad_out, float scale, float* partial, const GradientRing<Tile>& ring) {
  constexpr int depth = Tile::depth, row_tiles = Tile::row_tiles, batch = Tile::batch, ahead = Tile::ahead;
  const MixingPlan& m = g.mixing;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, group = threadIdx.x / 128;
  const int mode = row_tiles == 2 ? group * 2 : warp;
  int channel = task.out0 + (row_tiles == 2 ? warp : group) * 16 + lane / 4 * 2;
  if (channel >= m.out_channels) channel = 0;  // one that does not exist reads the first; nobody uses its sums
  const uint2* factors = ring.factors() + mode * Tile::steps * 32 + lane;
  float acc[row_tiles][64];
#  pragma unroll
  for (int i = 0; i < row_tiles * 64; ++i) acc[i / 64][i % 64] = 0;
  GradReader<Tile, T> reader;
  reader.index = task.begin;
  reader.start(m, task, grad_out, channel);
  TwoChannels<T> fetched[ahead][batch][2 * depth];
#  pragma unroll
  for (int s = 0; s < ahead; ++s) {
    reader.fetch(m, fetched[s]);
    reader.next(m, task, grad_out, channel);
  }
  RingCursor<Tile> cursor;
  int images = 0;  // left whose factors are there
#  pragma unroll 1
  for (int index = task.begin; index < task.end; ++index) {
    if (images == 0) {
      const GradientUnit unit = unit_of(m, task.pair0, index);
      images = m.batch - unit.image0;
      ring.load_factors(columns + m.columns.at(m.pairs[unit.pair].scale, unit.v_tile, task.column_group),
                        m.columns.group);
    }
    --images;
#  pragma unroll 1
    for (int left = m.rows.tile; left > 0; left -= 8) {
      uint64_t right = operand_at(ring.stage(cursor.slot));
      wait(ring.full(cursor.slot), cursor.parity);
#  pragma unroll 1
      for (int x = 0; x < min(left, 8); x += batch * ahead) {
#  pragma unroll
        for (int s = 0; s < ahead; ++s) {
          multiply_batch<Tile>(acc, fetched[s], scale, factors, right + s * Tile::products * 2);
          reader.fetch(m, fetched[s]);
          reader.next(m, task, grad_out, channel);
        }
        // Four products to a part.
        constexpr int step = Tile::products * ahead;
        right += (x * Tile::halves / 2 + step) % 4 ? 2 * step : Tile::part_bytes / 16 - (4 - step) * 2;
      }
      wait_products<0>();
      if (lane == 0) arrive(ring.empty(cursor.slot));
      cursor.advance();
    }
  }
  wait_products<0>();
  auto* out = reinterpret_cast<float4*>(partial + int64_t(blockIdx.x) * Tile::sums) +
              int(threadIdx.x) / 32 * row_tiles * 16 * 32 + lane;
#  pragma unroll
  for (int i = 0; i < row_tiles * 16; ++i) {
    const float* sum = &acc[i / 16][i % 16 * 4];
    out[i * 32] = make_float4(sum[0], sum[1], sum[2], sum[3]);
  }
}

}  // namespace scdcf::ops::cuda
#endif
