// Producers of the streamed gradient: the row pass, from global memory into the ring.
#pragma once

#include "scdcf/ops/cuda/streamed/streamed_gradient_shared.cuh"

#ifdef SCDCF_HOPPER_CODE
namespace scdcf::ops::cuda {

/// Reads 16 channels of four lines v at a time, in the order of the stages.
template <class Tile, class T>
struct InputReader {
  static constexpr int depth = Tile::depth, jobs = 4 * Tile::halves;  // of a stage: four lines, 16 channels
  const T* plane;                                                     // its first line and position, of this image
  int index, images, stage, job;  // unit, images of its tile left after it; job: lines / 4 * 2 + channels / 16
  int lines, positions;
  bool fresh;  // other factors than before

  __device__ void start(const MixingPlan& m, const GradientTask& task, const T* in) {
    const GradientUnit unit = unit_of(m, task.pair0, index);
    const GradientPair pair = m.pairs[unit.pair];
    const LineSpan us = m.rows.reach(m.radius[pair.scale], unit.x_tile), vs = m.columns.targets_of(unit.v_tile);
    lines = vs.count, positions = us.count, images = m.batch - 1 - unit.image0, fresh = true;
    plane = in +
            ((int64_t(unit.image0) * m.planes + pair.plane) * m.in_pixels + int64_t(vs.begin) * m.in_width + us.begin) *
                m.in_channels;
  }
  __device__ void next(const MixingPlan& m, const GradientTask& task, const T* in) {
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
  __device__ void fetch(const MixingPlan& m, const GradientTask& task, TwoChannels<T> (&x)[4][2 * depth]) const {
    const int lane = threadIdx.x % 32, channel = task.in0 + job % 2 * 16 + lane / 4 * 2;
    const T* from = plane + (channel < m.in_channels ? channel : 0);
#  pragma unroll
    for (int i = 0; i < 4; ++i)
#  pragma unroll
      for (int k = 0; k < 2 * depth; ++k)
        x[i][k].load(from + (min(job / 2 * 4 + i, lines - 1) * m.in_width +
                             min(k / 2 * 8 + lane % 4 * 2 + k % 2, positions - 1)) *
                                m.in_channels);
  }
};

template <class Tile, class T>
__device__ void produce(const StreamedGradientPlan& g, const GradientTask& task, const T* in, const uint4* rows,
                        float scale, const GradientRing<Tile>& ring) {
  constexpr int depth = Tile::depth, steps = Tile::steps;
  const MixingPlan& m = g.mixing;
  const int lane = threadIdx.x % 32, l = lane / 4, q = lane % 4;
  InputReader<Tile, T> reader;
  reader.index = task.begin, reader.stage = 0, reader.job = int(threadIdx.x) / 32 % 4;
  reader.start(m, task, in);
  TwoChannels<T> fetched[4][2 * depth];
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
    const uint2* factors = ring.factors() + reader.stage * Tile::half_factors + lane;
    if (reader.job < 4) wait(ring.empty(cursor.slot), cursor.parity ^ 1);
    const bool last = reader.job + 4 >= InputReader<Tile, T>::jobs;
    uint32_t x[4][steps][4];
#  pragma unroll
    for (int i = 0; i < 4; ++i) make_line<T, depth>(fetched[i], scale, x[i]);
    reader.next(m, task, in);
    reader.fetch(m, task, fetched);
    char* stage = ring.stage(cursor.slot) + row * 128 + quadruple % 2 * 8;
#  pragma unroll
    for (int mode = 0; mode < kGradientModes; ++mode, stage += 32 * 128) {
      float d[4][4];
#  pragma unroll
      for (int k = 0; k < steps; ++k) {
        const uint2 w = factors[(mode * steps + k) * 32];
#  pragma unroll
        for (int i = 0; i < 4; ++i) multiply_16<T>(d[i], x[i][k], w.x, w.y, k == 0);
      }
#  pragma unroll
      for (int r = 0; r < 4; ++r) {  // column x of the stage, channel row + r / 2 * 8; four lines v
        const int column = 2 * q + r % 2, part = column * Tile::halves / 8,
                  piece = column * Tile::halves % 8 + quadruple / 2;
        *reinterpret_cast<uint2*>(stage + part * Tile::part_bytes + r / 2 * 8 * 128 + (piece ^ l) * 16) =
            make_uint2(pack_operands<T>(d[0][r], d[1][r]), pack_operands<T>(d[2][r], d[3][r]));
      }
    }
    if (!last) continue;
    fence_products();
    sync_warp();
    if (lane == 0) arrive(ring.full(cursor.slot));
    cursor.advance();
  }
}

}  // namespace scdcf::ops::cuda
#endif
