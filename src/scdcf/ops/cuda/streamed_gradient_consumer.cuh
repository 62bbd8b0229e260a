// Consumers of the streamed gradient: the adjoint column pass in registers, and the product.
#pragma once

#include "scdcf/ops/cuda/streamed_gradient_shared.cuh"

#ifdef SCDCF_HOPPER_CODE
namespace scdcf::ops::cuda {

/// Reads 16 channels of grad_out, a column x at a time.
template <class Tile>
struct GradReader {
  static constexpr int depth = Tile::depth;
  GradientUnit unit;
  const float* column;    // of this lane's two channels
  int offset[2 * depth];  // of positions, in numbers
  int count, image_step;  // columns of the unit; from its last column to the first of the next image

  __device__ void start(const MixingPlan& m, const float* grad_out, int channel) {
    const int scale = m.pairs[unit.pair].scale;
    const Span ys = m.columns.reach(m.radius[scale], unit.v_tile), xs = m.rows.targets_of(unit.x_tile);
    count = xs.count;
    column = grad_out +
             ((int64_t(unit.image0) * m.scales + scale) * m.out_pixels + int64_t(ys.begin) * m.out_width + xs.begin) *
                 m.out_channels +
             channel;
    image_step = (m.scales * m.out_pixels - (count - 1)) * m.out_channels;
#  pragma unroll
    for (int k = 0; k < 2 * depth; ++k)  // beyond the last: the last one, whose factor is zero there
      offset[k] = min(k * 4 + int(threadIdx.x) % 4, ys.count - 1) * m.out_width * m.out_channels;
  }
  __device__ void next_unit(const MixingPlan& m, const float* grad_out, int channel) {
    if (advance(m, unit))
      start(m, grad_out, channel);
    else
      column += image_step;
  }
  __device__ void fetch(float2 (&x)[2 * depth]) const {
#  pragma unroll
    for (int k = 0; k < 2 * depth; ++k) x[k] = *reinterpret_cast<const float2*>(column + offset[k]);
  }
};

template <class Tile>
__device__ void consume(const StreamedGradientPlan& g, const GradientTask& task, const float4* columns,
                        const float* grad_out, float* partial, const GradientRing<Tile>& ring) {
  constexpr int depth = Tile::depth, row_tiles = Tile::row_tiles;
  const MixingPlan& m = g.mixing;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, group = threadIdx.x / 128;
  const int mode = row_tiles == 2 ? group * 2 : warp,
            channel = task.out0 + (row_tiles == 2 ? warp : group) * 16 + lane / 4 * 2;
  const int existing = channel < m.out_channels ? channel : 0;  // nobody uses the results of the others
  const float2* factors = ring.factors() + mode * depth * 32 + lane;
  float acc[row_tiles][64];
#  pragma unroll
  for (int i = 0; i < row_tiles * 64; ++i) acc[i / 64][i % 64] = 0;
  GradReader<Tile> reader{unit_of(m, task.pair0, task.begin)};
  reader.start(m, grad_out, existing);
  float2 fetched[2 * depth];
  reader.fetch(fetched);
  RingCursor<Tile> cursor;
  int pair = -1, v_tile = -1;  // whose factors are there
#  pragma unroll 1
  for (int index = task.begin; index < task.end; ++index) {
    const int count = reader.count;
    if (reader.unit.pair != pair || reader.unit.v_tile != v_tile) {
      pair = reader.unit.pair, v_tile = reader.unit.v_tile;
      // Columns 2 q and 2 q + 1 of the pass are in one thread, numbers q and q + 4 of the product's left operand.
      ring.load_factors(columns + m.columns.at(m.pairs[pair].scale, v_tile, task.column_group), m.columns.group,
                        [](int column) { return column / 2 + column % 2 * 4; });
    }
#  pragma unroll 1
    for (int x = 0; x < count; ++x) {
      uint32_t line[depth][4];
#  pragma unroll
      for (int k = 0; k < 2 * depth; ++k)
        line[k / 2][k % 2 * 2] = round_tf32(fetched[k].x), line[k / 2][k % 2 * 2 + 1] = round_tf32(fetched[k].y);
      if (x + 1 < count)
        reader.column += m.out_channels;
      else if (index + 1 < task.end)
        reader.next_unit(m, grad_out, existing);
      reader.fetch(fetched);
      if (x % 8 == 0) wait(ring.full(cursor.slot), cursor.parity);
      const uint64_t right = operand_at(ring.stage(cursor.slot)) + x / 2 % 4 * 2;
#  pragma unroll
      for (int half = 0; half < Tile::halves; ++half) {
        float d[row_tiles][4];
#  pragma unroll
        for (int i = 0; i < row_tiles * depth; ++i) {
          const int t = i / depth, k = i % depth;
          const float2 w = factors[half * Tile::half_factors + i * 32];
          if (k == 0)
            product_tf32(d[t], line[k], float_to_bits(w.x), float_to_bits(w.y));
          else
            mma_tf32(d[t], line[k], float_to_bits(w.x), float_to_bits(w.y));
        }
        if (half == 0 && x % 8 == 0) begin_products();
        wait_products<0>();
        uint32_t left[row_tiles][4];
#  pragma unroll
        for (int t = 0; t < row_tiles; ++t)
          left[t][0] = round_here(d[t][0]), left[t][1] = round_here(d[t][2]), left[t][2] = round_here(d[t][1]),
          left[t][3] = round_here(d[t][3]);
        begin_products();
#  pragma unroll
        for (int t = 0; t < row_tiles; ++t)
          multiply_rows(acc[t], left[t], right + (x % 2 * Tile::halves + half) * (Tile::part_bytes / 16));
        commit_products();
      }
      if (x % 8 == 7 || x + 1 == count) {
        wait_products<0>();
        if (lane == 0) arrive(ring.empty(cursor.slot));
        cursor.advance();
      }
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
