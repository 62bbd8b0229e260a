// Producers of the streamed gradient: the row pass, from global memory into the ring.
#pragma once

#include "scdcf/ops/cuda/streamed_gradient_shared.cuh"

#ifdef SCDCF_HOPPER_CODE
namespace scdcf::ops::cuda {

/// Reads 16 channels of four lines v at a time, in the order of the stages.
template <class Tile>
struct InputReader {
  static constexpr int depth = Tile::depth, jobs = 4 * Tile::halves;  // of a stage: four lines, 16 channels
  const float* plane;                                                 // its first line and position, of this image
  int index, images, stage, job;  // unit, images of its tile left after it; job: lines / 4 * 2 + channels / 16
  int lines, positions;
  bool fresh;  // other factors than before

  __device__ void start(const MixingPlan& m, const GradientTask& task, const float* in) {
    const GradientUnit unit = unit_of(m, task.pair0, index);
    const GradientPair pair = m.pairs[unit.pair];
    const LineSpan us = m.rows.reach(m.radius[pair.scale], unit.x_tile), vs = m.columns.targets_of(unit.v_tile);
    lines = vs.count, positions = us.count, images = m.batch - 1 - unit.image0, fresh = true;
    plane = in +
            ((int64_t(unit.image0) * m.planes + pair.plane) * m.in_pixels + int64_t(vs.begin) * m.in_width + us.begin) *
                m.in_channels;
  }
  __device__ void next(const MixingPlan& m, const GradientTask& task, const float* in) {
    if ((job += 4) < jobs) return;
    job -= jobs;
    if (++stage < (m.rows.tile + 7) / 8) return;
    stage = 0;
    if (index + 1 == task.end) return;
    ++index;
    if (--images >= 0)
      plane += int64_t(m.planes) * m.in_pixels * m.in_channels;
    else
      start(m, task, in);
  }
  /// Lines and positions beyond the last are the last; their factors are zero. Channels beyond the last are the first;
  /// nobody uses their sums.
  __device__ void fetch(const MixingPlan& m, const GradientTask& task, float2 (&x)[4][depth][2]) const {
    const int lane = threadIdx.x % 32, channel = task.in0 + job % 2 * 16 + lane / 4 * 2;
    const float* from = plane + (channel < m.in_channels ? channel : 0);
#  pragma unroll
    for (int i = 0; i < 4; ++i)
#  pragma unroll
      for (int k = 0; k < 2 * depth; ++k)
        x[i][k / 2][k % 2] = *reinterpret_cast<const float2*>(
            from +
            (min(job / 2 * 4 + i, lines - 1) * m.in_width + min(k * 4 + lane % 4, positions - 1)) * m.in_channels);
  }
};

template <class Tile>
__device__ void produce(const StreamedGradientPlan& g, const GradientTask& task, const float* in, const float4* rows,
                        const GradientRing<Tile>& ring) {
  constexpr int depth = Tile::depth;
  const MixingPlan& m = g.mixing;
  const int lane = threadIdx.x % 32, l = lane / 4, q = lane % 4;
  InputReader<Tile> reader;
  reader.index = task.begin, reader.stage = 0, reader.job = int(threadIdx.x) / 32 % 4;
  reader.start(m, task, in);
  float2 fetched[4][depth][2];
  reader.fetch(m, task, fetched);
  RingCursor<Tile> cursor;
#  pragma unroll 1
  for (int left = (task.end - task.begin) * ((m.rows.tile + 7) / 8) * Tile::halves; left > 0; --left) {
    if (reader.fresh) {
      const GradientUnit unit = unit_of(m, task.pair0, reader.index);
      ring.load_factors(rows + m.rows.at(m.pairs[unit.pair].scale, unit.x_tile, task.row_group), m.rows.group);
      reader.fresh = false;
    }
    const int quadruple = reader.job / 2, row = reader.job % 2 * 16 + l;
    const float2* factors = ring.factors() + reader.stage * Tile::half_factors + lane;
    if (reader.job < 4) wait(ring.empty(cursor.slot), cursor.parity ^ 1);
    const bool last = reader.job + 4 >= InputReader<Tile>::jobs;
    uint32_t x[4][depth][4];
#  pragma unroll
    for (int i = 0; i < 4 * depth; ++i) {
      const float2(&from)[2] = fetched[i / depth][i % depth];
      uint32_t(&to)[4] = x[i / depth][i % depth];
      to[0] = round_tf32(from[0].x), to[1] = round_tf32(from[0].y), to[2] = round_tf32(from[1].x),
      to[3] = round_tf32(from[1].y);
    }
    reader.next(m, task, in);
    if constexpr (depth <= 2) reader.fetch(m, task, fetched);  // with more there are no registers for both
    char* part =
        ring.stage(cursor.slot) + quadruple / 2 * Tile::part_bytes + row * 128 + ((2 * q + quadruple % 2) ^ l) * 16;
#  pragma unroll
    for (int mode = 0; mode < kGradientModes; ++mode, part += 32 * 128) {
      float d[4][4];
#  pragma unroll
      for (int k = 0; k < depth; ++k) {
        const float2 w = factors[(mode * depth + k) * 32];
#  pragma unroll
        for (int i = 0; i < 4; ++i) {
          if (k == 0)
            product_tf32(d[i], x[i][k], float_to_bits(w.x), float_to_bits(w.y));
          else
            mma_tf32(d[i], x[i][k], float_to_bits(w.x), float_to_bits(w.y));
        }
      }
#  pragma unroll
      for (int r = 0; r < 4; ++r)  // column x = q + r % 2 * 4, channel row + r / 2 * 8
        *reinterpret_cast<uint4*>(part + r % 2 * Tile::halves * Tile::part_bytes + r / 2 * 8 * 128) =
            make_uint4(round_tf32(d[0][r]), round_tf32(d[1][r]), round_tf32(d[2][r]), round_tf32(d[3][r]));
    }
    if constexpr (depth > 2) reader.fetch(m, task, fetched);
    if (!last) continue;
    fence_products();
    sync_warp();
    if (lane == 0) arrive(ring.full(cursor.slot));
    cursor.advance();
  }
}

}  // namespace scdcf::ops::cuda
#endif
