// Consumers of the streamed gradient: the adjoint column pass in registers, and the product.
#pragma once

#include "scdcf/ops/cuda/streamed_gradient_shared.cuh"

#ifdef SCDCF_HOPPER_CODE
namespace scdcf::ops::cuda {

/// Reads 16 channels of grad_out, a batch of columns x at a time.
template <class Tile>
struct GradReader {
  static constexpr int depth = Tile::depth, batch = Tile::batch, step = Tile::batch * Tile::ahead;
  const float* image;           // its first column and position
  uint32_t offset[2 * depth];   // of this lane's two channels at its positions
  int index, images, x, count;  // unit, images of its tile left after it; column of a unit, columns that it has

  __device__ void start(const MixingPlan& m, const GradientTask& task, const float* grad_out, int channel) {
    const GradientUnit unit = unit_of(m, task.pair0, index);
    const int scale = m.pairs[unit.pair].scale;
    const LineSpan ys = m.columns.reach(m.radius[scale], unit.v_tile), xs = m.rows.targets_of(unit.x_tile);
    x = 0, count = xs.count, images = m.batch - 1 - unit.image0;
    image = grad_out +
            ((int64_t(unit.image0) * m.scales + scale) * m.out_pixels + int64_t(ys.begin) * m.out_width + xs.begin) *
                m.out_channels;
#  pragma unroll
    for (int k = 0; k < 2 * depth; ++k)  // beyond the last: the last one, whose factor is zero there
      offset[k] = min(k * 4 + int(threadIdx.x) % 4, ys.count - 1) * m.out_width * m.out_channels + channel;
  }
  /// Columns beyond the last are the last: the row pass is zero there.
  __device__ void fetch(const MixingPlan& m, float2 (&lines)[batch][2 * depth]) const {
#  pragma unroll
    for (int i = 0; i < batch; ++i) {
      const float* column = image + min(x + i, count - 1) * m.out_channels;
#  pragma unroll
      for (int k = 0; k < 2 * depth; ++k) lines[i][k] = *reinterpret_cast<const float2*>(column + offset[k]);
    }
  }
  __device__ void next(const MixingPlan& m, const GradientTask& task, const float* grad_out, int channel) {
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
template <class Tile>
__device__ inline void multiply_batch(float (&acc)[Tile::row_tiles][64],
                                      const float2 (&fetched)[Tile::batch][2 * Tile::depth], const float2* factors,
                                      uint64_t right) {
  constexpr int row_tiles = Tile::row_tiles, depth = Tile::depth, halves = Tile::halves;
  float d[Tile::batch][halves][row_tiles][4];
  uint32_t lines[Tile::batch][depth][4];
#  pragma unroll
  for (int i = 0; i < Tile::batch; ++i)
#  pragma unroll
    for (int k = 0; k < 2 * depth; ++k)
      lines[i][k / 2][k % 2 * 2] = round_tf32(fetched[i][k].x),
                              lines[i][k / 2][k % 2 * 2 + 1] = round_tf32(fetched[i][k].y);
  wait_products<0>();
#  pragma unroll
  for (int part = 0; part < halves * row_tiles; ++part)
#  pragma unroll
    for (int k = 0; k < depth; ++k) {
      const float2 w = factors[part / row_tiles * Tile::half_factors + (part % row_tiles * depth + k) * 32];
#  pragma unroll
      for (int i = 0; i < Tile::batch; ++i) {
        float(&to)[4] = d[i][part / row_tiles][part % row_tiles];
        if (k == 0)
          product_tf32(to, lines[i][k], float_to_bits(w.x), float_to_bits(w.y));
        else
          mma_tf32(to, lines[i][k], float_to_bits(w.x), float_to_bits(w.y));
      }
    }
  uint32_t left[Tile::batch][halves][row_tiles][4];
#  pragma unroll
  for (int i = 0; i < Tile::batch * halves * row_tiles; ++i) {
    const int t = i % row_tiles, half = i / row_tiles % halves, line = i / row_tiles / halves;
    const float(&from)[4] = d[line][half][t];
    uint32_t(&to)[4] = left[line][half][t];
    to[0] = round_here(from[0]), to[1] = round_here(from[2]), to[2] = round_here(from[1]), to[3] = round_here(from[3]);
  }
  begin_products();
#  pragma unroll
  for (int i = 0; i < Tile::batch * halves * row_tiles; ++i) {
    const int t = i % row_tiles, half = i / row_tiles % halves, line = i / row_tiles / halves;
    multiply_rows(acc[t], left[line][half][t], right + line * 2 + half * (Tile::part_bytes / 16));
  }
  commit_products();
}

template <class Tile>
__device__ void consume(const StreamedGradientPlan& g, const GradientTask& task, const float4* columns,
                        const float* grad_out, float* partial, const GradientRing<Tile>& ring) {
  constexpr int depth = Tile::depth, row_tiles = Tile::row_tiles, batch = Tile::batch, ahead = Tile::ahead;
  const MixingPlan& m = g.mixing;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, group = threadIdx.x / 128;
  const int mode = row_tiles == 2 ? group * 2 : warp;
  int channel = task.out0 + (row_tiles == 2 ? warp : group) * 16 + lane / 4 * 2;
  if (channel >= m.out_channels) channel = 0;  // one that does not exist reads the first; nobody uses its sums
  const float2* factors = ring.factors() + mode * depth * 32 + lane;
  float acc[row_tiles][64];
#  pragma unroll
  for (int i = 0; i < row_tiles * 64; ++i) acc[i / 64][i % 64] = 0;
  GradReader<Tile> reader;
  reader.index = task.begin;
  reader.start(m, task, grad_out, channel);
  float2 fetched[ahead][batch][2 * depth];
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
          multiply_batch<Tile>(acc, fetched[s], factors, right + s * batch * 2);
          reader.fetch(m, fetched[s]);
          reader.next(m, task, grad_out, channel);
        }
        constexpr int step = batch * ahead;
        right += (x + step) % 4 ? 2 * step : Tile::halves * (Tile::part_bytes / 16) - (4 - step) * 2;
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
