// The end of the chained kernel: the second pass from shared memory to the target,
//   target[q][p][o] = sum over second modes and lines of second[q][mode, line] * result[mode][line][p][o].
#pragma once

#include "scdcf/ops/cuda/chained_plan.h"
#include "scdcf/ops/cuda/matrix_tiles.cuh"

namespace scdcf::ops::cuda {

/// What a block works on at a time.
struct ChainedBlock {
  int plane, image0, images, p_tile, wide;
  char* shared;
};

__device__ inline ChainedBlock make_chained_block(const ChainedPlan& c, int unit) {
  const FusedPlan& f = c.walk;
  ChainedBlock b;
  int rest = unit;
  b.wide = rest % f.wides;
  rest /= f.wides;
  b.p_tile = rest % f.first.tiles;
  rest /= f.first.tiles;
  b.image0 = rest % f.groups * f.images;
  b.plane = f.order[rest / f.groups];
  b.images = min(f.images, f.batch - b.image0);
  b.shared = shared_memory();
  return b;
}

/// The units of one block, of `blocks` that share the work. Units come longest first; the blocks take them in turn,
/// every other turn in reverse order, so that a block with a long one then gets a short one.
struct UnitWalk {
  int unit, step, both;
  __device__ explicit UnitWalk(int blocks)
      : unit(blockIdx.x), step(2 * (blocks - int(blockIdx.x)) - 1), both(2 * blocks) {}
  __device__ void advance() { unit += step, step = both - step; }
};

/// The channel of a result row is XORed with this, so that four neighbouring rows lie in different banks. Period four.
__device__ inline int swizzle(int row, int wide) { return wide % 32 ? row / 2 % 2 * 8 : row % 4 * 8; }

/// The rows that the second pass reads beyond the lines.
__device__ inline void clear_beyond(const ChainedPlan& c, char* shared) {
  const FusedPlan& f = c.walk;
  float* result = reinterpret_cast<float*>(shared + c.result);
  const int used = f.images * f.lines * c.pitch * f.wide, all = f.result_rows * f.wide;
  for (int mode = 0; mode < f.second.modes; ++mode)
    for (int i = used + threadIdx.x; i < all; i += blockDim.x) result[mode * all + i] = 0;
}

template <class T>
__device__ void write_zeros(const ChainedPlan& c, const ChainedBlock& b, T* target) {
  const FusedPlan& f = c.walk;
  const Span ps = f.first.targets_of(b.p_tile), qs = f.second.targets_of(0);
  const int width = min(f.wide, f.target_channels - b.wide * f.wide), total = b.images * ps.count * qs.count * width;
  for (int i = threadIdx.x; i < total; i += blockDim.x) {
    const int o = i % width, q = i / width % qs.count, p = i / width / qs.count % ps.count,
              image = i / width / qs.count / ps.count;
    const int64_t pixel = (int64_t(b.image0 + image) * f.target_planes + b.plane) * f.target_pixels +
                          int64_t(ps.begin + p) * f.p_step + int64_t(qs.begin + q) * f.q_step;
    target[pixel * f.target_channels + b.wide * f.wide + o] = T(0.0f);
  }
}

/// Two neighbouring channels in one aligned word.
__device__ inline void store_pair(float* at, float x, float y, bool exists) {
  if (exists) *reinterpret_cast<float2*>(at) = make_float2(x, y);
}
__device__ inline void store_pair(bf16* at, float x, float y, bool exists) {
  if (exists) *reinterpret_cast<uint32_t*>(at) = pack_bf16(x, y);
}
/// Two neighbouring channels, of which `left` exist.
template <class T>
__device__ inline void store_each(T* at, float x, float y, int left) {
  if (left > 0) at[0] = T(x);
  if (left > 1) at[1] = T(y);
}

/// A warp takes one column (image, p), `tiles` tiles of 16 targets q and `columns` tiles of 8 channels at a time.
/// Sums of earlier stages wait in shared memory, private to each thread.
template <class T, int columns, int tiles>
__device__ void result_pass(const ChainedPlan& c, const ChainedBlock& b, const float4* factors, T* target, bool fresh,
                            bool last) {
  const FusedPlan& f = c.walk;
  const int lane = threadIdx.x % 32, tp = f.first.tile, wide = f.wide, depth = f.second.depth, steps = f.second.steps(),
            row_tiles = f.second.row_tiles(), line_step = c.pitch * wide;
  const Span ps = f.first.targets_of(b.p_tile), qs = f.second.targets_of(0);
  const bool even = f.target_channels % 2 == 0;
  const float* result = reinterpret_cast<const float*>(b.shared + c.result) + lane / 4;
  float2* sums = reinterpret_cast<float2*>(b.shared + c.sums) + threadIdx.x;
  for (int unit = threadIdx.x / 32; unit < c.units; unit += f.warps_m, sums += 8 * blockDim.x) {
    const int column = unit % (f.images * tp), part = unit / (f.images * tp), group = part % c.columns,
              tile = part / c.columns * tiles, image = column / tp, p = column - image * tp;
    const bool both = tiles == 2 && tile + 1 < row_tiles;
    float d[tiles][columns][4] = {};
    if (!fresh)
#pragma unroll
      for (int r = 0; r < 8; ++r) {  // row tile, half of it, column tile
        const float2 x = sums[r * blockDim.x];
        float* to = &d[r / (2 * columns)][r % columns][r / columns % 2 * 2];
        to[0] = x.x, to[1] = x.y;
      }
    const float4* factor = factors + tile * steps * 32 + lane;
    // The swizzle of a row has period four, and rows of one lane are four and eight lines apart: it is the lane's own.
    const int row0 = (image * f.lines + lane % 4) * c.pitch + p, flip = swizzle(row0, wide);
    int channel[columns];
#pragma unroll
    for (int j = 0; j < columns; ++j) channel[j] = ((group * columns + j) * 8) ^ flip;
    const float* at = result + row0 * wide;
    for (int mode = 0; mode < f.second.modes; ++mode, at += (f.result_rows - depth * 8 * c.pitch) * wide)
#pragma unroll 2
      for (int step = 0; step < depth; ++step, at += 8 * line_step, factor += 32) {
        uint32_t w[columns][2];
#pragma unroll
        for (int j = 0; j < columns; ++j)
          w[j][0] = float_to_bits(at[channel[j]]), w[j][1] = float_to_bits(at[4 * line_step + channel[j]]);
#pragma unroll
        for (int i = 0; i < tiles; ++i) {
          if (i == 1 && !both) continue;
          const float4 v = factor[i * steps * 32];
          const uint32_t a[4] = {float_to_bits(v.x), float_to_bits(v.y), float_to_bits(v.z), float_to_bits(v.w)};
#pragma unroll
          for (int j = 0; j < columns; ++j) mma_tf32(d[i][j], a, w[j][0], w[j][1]);
        }
      }
    if (!last) {
#pragma unroll
      for (int r = 0; r < 8; ++r) {
        const float* from = &d[r / (2 * columns)][r % columns][r / columns % 2 * 2];
        sums[r * blockDim.x] = make_float2(from[0], from[1]);
      }
      continue;
    }
    const int q0 = tile * 16 + lane / 4, o = b.wide * wide + group * columns * 8 + lane % 4 * 2,
              left = f.target_channels - o, rows = image < b.images && p < ps.count ? qs.count - q0 : 0;
    const int64_t pixel = (int64_t(b.image0 + image) * f.target_planes + b.plane) * f.target_pixels +
                          int64_t(ps.begin + p) * f.p_step + int64_t(qs.begin + q0) * f.q_step;
    T* to = target + pixel * f.target_channels + o;
    const int64_t half_step = int64_t(8) * f.q_step * f.target_channels;
#pragma unroll
    for (int half = 0; half < 2 * tiles; ++half, to += half_step) {
      if (half * 8 >= rows) continue;
#pragma unroll
      for (int j = 0; j < columns; ++j) {
        const float* from = &d[half / 2][j][half % 2 * 2];
        if (even)
          store_pair(to + j * 8, from[0], from[1], j * 8 < left);
        else
          store_each(to + j * 8, from[0], from[1], left - j * 8);
      }
    }
  }
}

}  // namespace scdcf::ops::cuda
