// Producers of the streamed kernel: the first pass, from global memory into the buffers.
#pragma once

#include "scdcf/ops/cuda/streamed/streamed_shared.cuh"

#ifdef SCDCF_HOPPER_CODE
namespace scdcf::ops::cuda {

/// Four neighbouring channels of a position as they are in memory.
template <class T>
struct FourChannels;
template <>
struct FourChannels<float> {
  float4 x;
  __device__ void load(const float* at) { x = *reinterpret_cast<const float4*>(at); }
};
template <>
struct FourChannels<bf16> {
  uint2 x;
  __device__ void load(const bf16* at) { x = *reinterpret_cast<const uint2*>(at); }
};

/// Words of right operands, one for each channel, from two neighbouring positions.
__device__ inline void make_words(const FourChannels<float>& low, const FourChannels<float>& high, float scale,
                                  uint32_t (&w)[4]) {
  w[0] = pack_half(low.x.x * scale, high.x.x * scale), w[1] = pack_half(low.x.y * scale, high.x.y * scale);
  w[2] = pack_half(low.x.z * scale, high.x.z * scale), w[3] = pack_half(low.x.w * scale, high.x.w * scale);
}
__device__ inline void make_words(const FourChannels<bf16>& low, const FourChannels<bf16>& high, float,
                                  uint32_t (&w)[4]) {
  w[0] = (low.x.x & 0xffffu) | high.x.x << 16, w[1] = low.x.x >> 16 | (high.x.x & 0xffff0000u);
  w[2] = (low.x.y & 0xffffu) | high.x.y << 16, w[3] = low.x.y >> 16 | (high.x.y & 0xffff0000u);
}

/// Eight neighbouring channels of a pixel: those of results r and r + 1 of four products.
template <class T>
__device__ inline uint4 pack_pixel(const float (&d)[4][4], int r) {
  return make_uint4(pack_operands<T>(d[0][r], d[1][r]), pack_operands<T>(d[2][r], d[3][r]),
                    pack_operands<T>(d[0][r + 1], d[1][r + 1]), pack_operands<T>(d[2][r + 1], d[3][r + 1]));
}

template <class Tile, class T>
__device__ void produce(const StreamedPlan& f, const T* source, const uint4* factors, float scale,
                        const Shared<Tile>& shared, int rank) {
  constexpr int depth = Tile::depth, steps = (depth + 1) / 2, bank_tiles = Tile::bank_tiles;
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, warp = threadIdx.x / 32 - Tile::consumers * 4;
  const int items = item_count(f);
  // Where this lane's rows (first mode, p) go: bytes; in the low bits the pixel's place in its eight, and which of its
  // pair the mode is; or -1.
  int row_at[bank_tiles * 2];
#  pragma unroll
  for (int i = 0; i < bank_tiles * 2; ++i) {
    const int row = i * 8 + g, mode = row / f.first.tile, pixel = (row - mode * f.first.tile) * Tile::pitch;
    row_at[i] = mode < f.first.modes ? mode / 2 * Tile::line_bytes + pixel * 128 + mode % 2 * 8 + pixel % 8 : -1;
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
      const int needed = (us.count + 15) / 16;
      const uint4* factor = factors + f.first.at(stage.scale, item.p_tile, 0) + lane;
      int position[depth][2];  // beyond the line: its last one, whose factor is zero there
#  pragma unroll
      for (int k = 0; k < depth * 2; ++k)
        position[k / 2][k % 2] = min(k / 2 * 8 + t * 2 + k % 2, us.count - 1) * f.u_step * channels;
      uint32_t w[bank_tiles][steps][4];
#  pragma unroll
      for (int i = 0; i < bank_tiles; ++i)
#  pragma unroll
        for (int k = 0; k < steps; ++k) {
          uint4 v = make_uint4(0, 0, 0, 0);
          if (i < f.first.row_tiles() && k < f.first.steps()) v = factor[(i * f.first.steps() + k) * 32];
          w[i][k][0] = v.x, w[i][k][1] = v.y, w[i][k][2] = v.z, w[i][k][3] = v.w;
        }
#  pragma unroll 1
      for (int chunk = 0; chunk < f.chunks; ++chunk, ++turn) {
        const int channel = chunk * kChunk + g * 4;  // beyond the last the first ones are read: the mix ignores them
        const T* lines = source + (channel < channels ? channel : 0) +
                         (int64_t(item.image0) * f.source_planes + stage.source_plane) * f.source_pixels * channels +
                         (int64_t(us.begin) * f.u_step + int64_t(vs.begin) * f.v_step) * channels;
        FourChannels<T> x[depth][2];  // a line; each step is fetched anew as soon as it has been used
        const auto fetch = [&](const LineCursor& c, int k) {
          // Lines that are not there must be numbers, which nobody uses: the last one that is there will do.
          const int at = min(c.image, item.images - 1) * image_step + min(c.line, vs.count - 1) * line_step;
          x[k][0].load(lines + (at + position[k][0]));
          x[k][1].load(lines + (at + position[k][1]));
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
          uint32_t words[steps][2][4];
#  pragma unroll
          for (int k = 0; k < steps * 2; ++k) {
            uint32_t(&to)[4] = words[k / 2][k % 2];
            if (k < depth) {
              make_words(x[k][0], x[k][1], scale, to);
              fetch(next, k);
            } else {
              to[0] = to[1] = to[2] = to[3] = 0;
            }
          }
          const int n = now.image * f.first.tile * Tile::pitch + now.line;
#  pragma unroll
          for (int tile = 0; tile < bank_tiles; ++tile) {
            float d[4][4];
#  pragma unroll
            for (int k = 0; k < steps; ++k)
              if (k == 0 || k < needed)
#  pragma unroll
                for (int i = 0; i < 4; ++i) multiply_16<T>(d[i], w[tile][k], words[k][0][i], words[k][1][i], k == 0);
#  pragma unroll
            for (int half = 0; half < 2; ++half) {
              const int at = row_at[tile * 2 + half], piece = ((at & 8) / 2 + t) ^ ((n + at) & 7);
              if (at >= 0)
                *reinterpret_cast<uint4*>(buffer + (at & ~127) + n * 128 + piece * 16) = pack_pixel<T>(d, half * 2);
            }
          }
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
