// Producers of the streamed kernel: the first pass, from global memory into the buffers.
#pragma once

#include "scdcf/ops/cuda/streamed_shared.cuh"

#ifdef SCDCF_HOPPER_CODE
namespace scdcf::ops::cuda {

/// Stores eight neighbouring channels of pixel n (modulo 8): the two 16-byte pieces in the order that meets no bank
/// conflict.
__device__ inline void store_pixel(char* row, int n, int g, int t, const float (&d)[4][4], int r) {
  const float4 low = make_float4(operand<false>(d[0][r]), operand<false>(d[1][r]), operand<false>(d[2][r]),
                                 operand<false>(d[3][r])),
               high = make_float4(operand<false>(d[0][r + 1]), operand<false>(d[1][r + 1]), operand<false>(d[2][r + 1]),
                                  operand<false>(d[3][r + 1]));
  const bool swap = (g ^ n) & 1;
  const int first = (2 * t + swap) ^ (n & 7);
  *reinterpret_cast<float4*>(row + first * 16) = swap ? high : low;
  *reinterpret_cast<float4*>(row + (first ^ 1) * 16) = swap ? low : high;
}

template <class Tile>
__device__ void produce(const StreamedPlan& f, const float* source, const float4* factors, const Shared<Tile>& shared,
                        int rank) {
  constexpr int depth = Tile::depth, bank_tiles = Tile::bank_tiles;
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, warp = threadIdx.x / 32 - Tile::consumers * 4;
  const int items = item_count(f);
  // Where this lane's rows (first mode, p) go: bytes, and in the low bits the row's place in its eight rows; or -1.
  int row_at[bank_tiles * 2];
#  pragma unroll
  for (int i = 0; i < bank_tiles * 2; ++i) {
    const int row = i * 8 + g, mode = row / f.first.tile, pixel = (row - mode * f.first.tile) * Tile::pitch;
    row_at[i] = mode < f.first.modes ? mode * Tile::line_bytes + pixel * 128 + pixel % 8 : -1;
  }
  const int channels = f.source_channels, image_step = f.source_planes * f.source_pixels * channels,
            line_step = f.v_step * channels;
  int turn = 0;
#  pragma unroll 1
  for (int index = blockIdx.x / f.cluster; index < items; index += f.clusters) {
    const Item item = item_of(f, index, rank);
#  pragma unroll 1
    for (int s = f.stage_begin[item.plane]; s < f.stage_begin[item.plane + 1]; ++s) {
      const Stage stage = f.stages[s];
      const int radius = f.radius[stage.scale];
      const LineSpan us = f.first.reach(radius, item.p_tile), vs = f.second.reach(radius, 0);
      const int steps = (us.count + 7) / 8;
      const float4* factor = factors + f.first.at(stage.scale, item.p_tile, 0) + lane;
      int position[depth][2];  // beyond the line: its last one, whose factor is zero there
#  pragma unroll
      for (int k = 0; k < depth * 2; ++k) position[k / 2][k % 2] = min(k * 4 + t, us.count - 1) * f.u_step * channels;
      uint32_t w[bank_tiles][depth][4];
#  pragma unroll
      for (int i = 0; i < bank_tiles; ++i)
#  pragma unroll
        for (int k = 0; k < depth; ++k) {
          float4 v = make_float4(0, 0, 0, 0);
          if (i < f.first.row_tiles() && k < f.first.depth) v = factor[(i * f.first.depth + k) * 32];
          w[i][k][0] = float_to_bits(v.x), w[i][k][1] = float_to_bits(v.y), w[i][k][2] = float_to_bits(v.z),
          w[i][k][3] = float_to_bits(v.w);
        }
#  pragma unroll 1
      for (int chunk = 0; chunk < f.chunks; ++chunk, ++turn) {
        const int channel = chunk * 32 + g * 4;  // lanes beyond the channels read the first ones: the mix ignores them
        const float* lines =
            source + (channel < channels ? channel : 0) +
            (int64_t(item.image0) * f.source_planes + stage.source_plane) * f.source_pixels * channels +
            (int64_t(us.begin) * f.u_step + int64_t(vs.begin) * f.v_step) * channels;
        float4 x[depth][2];  // a line; each step is fetched anew as soon as it has been used
        const auto fetch = [&](const LineCursor& c, int k) {
          // Lines that are not there must be numbers, which nobody uses: the last one that is there will do.
          const int at = min(c.image, item.images - 1) * image_step + min(c.line, vs.count - 1) * line_step;
          x[k][0] = *reinterpret_cast<const float4*>(lines + (at + position[k][0]));
          x[k][1] = *reinterpret_cast<const float4*>(lines + (at + position[k][1]));
        };
        LineCursor next{0, 0};
        next.advance(warp, f.lines);
#  pragma unroll
        for (int k = 0; k < depth; ++k) fetch(next, k);
        wait(shared.buffer_empty(turn), (turn / 2 + 1) % 2);
        char* buffer = shared.buffer(turn);
#  pragma unroll 1
        while (next.image < f.images) {
          const LineCursor now = next;
          next.advance(Tile::producer_warps, f.lines);
          float d[bank_tiles][4][4];
#  pragma unroll
          for (int k = 0; k < depth; ++k) {
            const uint32_t low[4] = {round_tf32(x[k][0].x), round_tf32(x[k][0].y), round_tf32(x[k][0].z),
                                     round_tf32(x[k][0].w)},
                           high[4] = {round_tf32(x[k][1].x), round_tf32(x[k][1].y), round_tf32(x[k][1].z),
                                      round_tf32(x[k][1].w)};
            fetch(next, k);
            if (k == 0 || k < steps)
#  pragma unroll
              for (int i = 0; i < bank_tiles * 4; ++i) {
                if (k == 0)
                  product_tf32(d[i / 4][i % 4], w[i / 4][k], low[i % 4], high[i % 4]);
                else
                  mma_tf32(d[i / 4][i % 4], w[i / 4][k], low[i % 4], high[i % 4]);
              }
          }
          const int n = now.image * f.first.tile * Tile::pitch + now.line;
#  pragma unroll
          for (int i = 0; i < bank_tiles * 2; ++i)
            if (row_at[i] >= 0)
              store_pixel(buffer + (row_at[i] & ~127) + n * 128, n + (row_at[i] & 7), g, t, d[i / 2], i % 2 * 2);
        }
        fence_products();
        sync_warp();
        if (lane == 0) arrive(shared.buffer_full(turn));
      }
    }
  }
}

}  // namespace scdcf::ops::cuda
#endif
