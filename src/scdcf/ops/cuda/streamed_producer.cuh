// Producers of the streamed kernel: the first pass, from global memory into the buffers.
#pragma once

#include "scdcf/ops/cuda/streamed_shared.cuh"

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

/// What a producer warp reads: lines of a chunk of channels of a stage of a tile, a group of them at a time. It goes
/// ahead of the pass, over the ends of chunks, stages and tiles.
template <class Tile, class T>
struct LineReader {
  static constexpr int depth = Tile::depth;
  const StreamedPlan& f;
  const T* source;
  int rank, warp;
  int index, stage, stage_end, chunk, group;        // of the group that is read next
  int images, image0, p_tile, last_line, last_position;
  LineCursor cursor{0, 0};  // its next line
  const T* lines = nullptr;                         // of the chunk: first line and position, this lane's channels

  __device__ LineReader(const StreamedPlan& f_, const T* source_, int rank_, int warp_)
      : f(f_), source(source_), rank(rank_), warp(warp_), index(blockIdx.x / f_.cluster) {}
  __device__ void start_tile() {
    const Item item = item_of(f, index, rank);
    images = item.images, image0 = item.image0, p_tile = item.p_tile;
    stage = f.stage_begin[item.plane], stage_end = f.stage_begin[item.plane + 1], chunk = 0;
  }
  __device__ void start_stage() {
    const int radius = f.radius[f.stages[stage].scale];
    last_line = f.second.reach(radius, 0).count - 1;
    last_position = f.first.reach(radius, p_tile).count - 1;
  }
  __device__ void start_chunk() {
    const int channels = f.source_channels, scale = f.stages[stage].scale, radius = f.radius[scale];
    const int channel = chunk * kChunk + threadIdx.x % 32 / 4 * 4;  // beyond the last: the first, which the mix ignores
    lines = source + (channel < channels ? channel : 0) +
            ((int64_t(image0) * f.source_planes + f.stages[stage].source_plane) * f.source_pixels +
             f.first.reach(radius, p_tile).begin * f.u_step + f.second.reach(radius, 0).begin * f.v_step) *
                channels;
    group = 0, cursor = {0, 0};
    cursor.advance(warp, f.lines);
  }
  /// On to the next group; at the end of all it stays at the last.
  __device__ void next(int groups) {
    if (++group < groups) return;
    if (++chunk == f.chunks) {
      chunk = 0;
      if (++stage == stage_end) {
        if (index + f.clusters < item_count(f)) index += f.clusters;
        start_tile();
      }
      start_stage();
    }
    start_chunk();
  }
  /// The next line. Lines and positions that are not there are the last ones that are: nobody uses them, or their
  /// factors are zero.
  __device__ void fetch(FourChannels<T> (&x)[depth][2]) {
    const int t = threadIdx.x % 4, channels = f.source_channels;
    const T* line = lines + (min(cursor.image, images - 1) * (f.source_planes * f.source_pixels) +
                             min(cursor.line, last_line) * f.v_step) *
                                channels;
#  pragma unroll
    for (int k = 0; k < 2 * depth; ++k)
      x[k / 2][k % 2].load(line + min(k / 2 * 8 + t * 2 + k % 2, last_position) * f.u_step * channels);
    cursor.advance(Tile::producer_warps, f.lines);
  }
};

/// ahead: lines that are on their way.
template <class Tile, int ahead, class T>
__device__ void produce(const StreamedPlan& f, const T* source, const uint4* factors, float scale,
                        const Shared<Tile>& shared, int rank) {
  constexpr int depth = Tile::depth, steps = (depth + 1) / 2, bank_tiles = Tile::bank_tiles;
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, warp = threadIdx.x / 32 - Tile::consumers * 4;
  const int items = item_count(f);
  const int groups = (f.images * f.lines + Tile::producer_warps * ahead - 1) / (Tile::producer_warps * ahead);
  // Where this lane's rows (first mode, p) go: bytes; in the low bits the pixel's place in its eight, and which of its
  // pair the mode is; or -1.
  int row_at[bank_tiles * 2];
#  pragma unroll
  for (int i = 0; i < bank_tiles * 2; ++i) {
    const int row = i * 8 + g, mode = row / f.first.tile, pixel = (row - mode * f.first.tile) * Tile::pitch;
    row_at[i] = mode < f.first.modes ? mode / 2 * Tile::line_bytes + pixel * 128 + mode % 2 * 8 + pixel % 8 : -1;
  }
  LineReader<Tile, T> reader(f, source, rank, warp);
  if (reader.index >= items) return;
  FourChannels<T> x[ahead][depth][2];
  reader.start_tile();
  reader.start_stage();
  reader.start_chunk();
#  pragma unroll
  for (int slot = 0; slot < ahead; ++slot) reader.fetch(x[slot]);
  int turn = 0;
#  pragma unroll 1
  for (int index = blockIdx.x / f.cluster; index < items; index += f.clusters) {
    const Item item = item_of(f, index, rank);
#  pragma unroll 1
    for (int s = f.stage_begin[item.plane]; s < f.stage_begin[item.plane + 1]; ++s) {
      const uint4* factor = factors + f.first.at(f.stages[s].scale, item.p_tile, 0) + lane;
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
        char* buffer = shared.buffer(turn);
        LineCursor now{0, 0};
        now.advance(warp, f.lines);
#  pragma unroll 1
        for (int group = 0; group < groups; ++group) {
          reader.next(groups);
#  pragma unroll
          for (int slot = 0; slot < ahead; ++slot) {
            uint32_t words[steps][2][4];
#  pragma unroll
            for (int k = 0; k < steps * 2; ++k) {
              uint32_t(&to)[4] = words[k / 2][k % 2];
              if (k < depth)
                make_words(x[slot][k][0], x[slot][k][1], scale, to);
              else
                to[0] = to[1] = to[2] = to[3] = 0;
            }
            reader.fetch(x[slot]);
            if (slot == 0 && group == 0) wait(shared.buffer_empty(turn), (turn / 2 + 1) % 2);
            if (now.image < f.images) {
              const int n = now.image * f.first.tile * Tile::pitch + now.line;
#  pragma unroll
              for (int tile = 0; tile < bank_tiles; ++tile) {
                float d[4][4];
#  pragma unroll
                for (int k = 0; k < steps; ++k)
#  pragma unroll
                  for (int i = 0; i < 4; ++i)
                    multiply_16<T>(d[i], w[tile][k], words[k][0][i], words[k][1][i], k == 0);
#  pragma unroll
                for (int half = 0; half < 2; ++half) {
                  const int at = row_at[tile * 2 + half], piece = ((at & 8) / 2 + t) ^ ((n + at) & 7);
                  if (at >= 0)
                    *reinterpret_cast<uint4*>(buffer + (at & ~127) + n * 128 + piece * 16) = pack_pixel<T>(d, half * 2);
                }
              }
            }
            now.advance(Tile::producer_warps, f.lines);
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
