// The first pass of matrix_collect.cu: Z from global memory, the column factors of all modes of a row factor, to lines
// in shared memory.
#pragma once

#include "scdcf/ops/cuda/collect_operands.cuh"

namespace scdcf::ops::cuda::collecting {

constexpr int kAhead = 4;  // steps of Z that a warp has asked for before it needs them

/// What one block works on: lines of one plane of one image.
struct CollectBlock {
  int plane, image, i_tile, channel0, channels;
  LineSpan is;
};

__device__ inline CollectBlock block_of(const DeviceProblem& p, const MatrixTile& t) {
  CollectBlock b;
  int64_t rest = blockIdx.x;
  b.channel0 = take_digit(rest, t.slabs) * t.channels;
  b.channels = min(t.channels, p.in_channels - b.channel0);
  b.i_tile = take_digit(rest, t.line_tiles);
  b.plane = take_digit(rest, p.planes), b.image = static_cast<int>(rest);
  b.is = t.column.tile_span(b.i_tile);
  return b;
}

/// Four neighbouring columns of Z for the sources that a lane has in one step, as they come from memory.
template <class T>
struct Numbers {
  static constexpr int kLoads = 2;
  float4 of[2];  // sources q and q + 4
  __device__ static int source(int q, int i) { return q + i * 4; }
  __device__ static uint32_t bits(float x) { return float_to_bits(operand<false>(x)); }
  __device__ void load(int i, const float* at) { of[i] = *reinterpret_cast<const float4*>(at); }
  __device__ void drop(const bool (&missing)[2]) {
#pragma unroll
    for (int i = 0; i < 2; ++i)
      if (missing[i]) of[i] = make_float4(0, 0, 0, 0);
  }
  __device__ void load_one(int i, int j, float x) { reinterpret_cast<float*>(&of[i])[j] = x; }
  __device__ void operands(uint32_t (&b)[4][2]) const {
#pragma unroll
    for (int i = 0; i < 2; ++i)
      b[0][i] = bits(of[i].x), b[1][i] = bits(of[i].y), b[2][i] = bits(of[i].z), b[3][i] = bits(of[i].w);
  }
};
template <>
struct Numbers<bf16> {
  static constexpr int kLoads = 4;
  uint2 of[4];  // sources 2 q, 2 q + 1, 2 q + 8, 2 q + 9
  __device__ static int source(int q, int i) { return q * 2 + i % 2 + i / 2 * 8; }
  __device__ void load(int i, const bf16* at) { of[i] = *reinterpret_cast<const uint2*>(at); }
  __device__ void drop(const bool (&missing)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (missing[i]) of[i] = make_uint2(0, 0);
  }
  __device__ void load_one(int i, int j, bf16 x) { reinterpret_cast<bf16*>(&of[i])[j] = x; }
  __device__ void operands(uint32_t (&b)[4][2]) const {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const uint2 low = of[i * 2], high = of[i * 2 + 1];
      b[0][i] = (low.x & 0xffffu) | high.x << 16, b[1][i] = low.x >> 16 | (high.x & 0xffff0000u);
      b[2][i] = (low.y & 0xffffu) | high.y << 16, b[3][i] = low.y >> 16 | (high.y & 0xffff0000u);
    }
  }
};

/// A step through Z: the same for all lanes, found once for a scale and kept in shared memory.
struct alignas(16) ZStep {
  int64_t offset;  // of its first line and mode, in numbers
  int fragment;    // of its mode and step
  int16_t active;  // row tiles whose band it is in, as bits
  int16_t last;    // whether lines may be missing
};

/// All steps, by mode.
__device__ inline void find_z_steps(ZStep* list, const DeviceProblem& p, const ModesByRow& modes, const MatrixTile& t,
                                    int lines, int line_step, const Steps* band) {
  const int steps = (lines + t.column.step - 1) / t.column.step;
  for (int i = threadIdx.x; i < p.mode_count * steps; i += kMatrixThreads) {
    const int mode = i / steps, step = i - mode * steps;
    ZStep z{modes.k[mode] * p.in_channels + int64_t(step) * t.column.step * line_step,
            modes.column[mode] * t.column.fragments() + step * 32, 0, static_cast<int16_t>(step + 1 == steps)};
    for (int tile = 0; tile < t.column.row_tiles; ++tile)
      if (step >= band[tile].begin && step < band[tile].end) z.active |= 1 << tile;
    list[i] = z;
  }
}

/// Z of a tile of columns x, of one entry: where it begins, and how it goes on.
template <class T>
struct Expanded {
  const T* at;  // first column of the tile, first line that is read, first channel of the slab
  int line_step, pixel_step;
  LineSpan xs, ys;
};

/// lines [x][i,c] of one row factor, whose steps are begin to end - 1, for the unit of columns n: column 4 c + j of the
/// unit is column c of product j. Z is asked for kAhead steps before it is needed, fragments one step before.
template <class T, int row_tiles, bool wide>
__device__ void column_products(const MatrixTile& t, const CollectBlock& b, const Expanded<T>& z, int n,
                                const ZStep* begin, const ZStep* end, const uint4* bank, T* lines) {
  constexpr int kLoads = Numbers<T>::kLoads, kColumns = wide ? 1 : 4;
  const int lane = threadIdx.x % 32;
  const T* column[kColumns];
#pragma unroll
  for (int j = 0; j < kColumns; ++j) {
    const Place at(n + lane / 4 * 4 + j, t);
    const bool there = at.position < z.xs.count && at.channel < b.channels;  // else: columns nobody needs
    column[j] = z.at + (there ? at.position * z.pixel_step + at.channel : 0);
  }
  int line[kLoads], last_line[kLoads];  // of a lane's sources, in numbers; in the last step those that are there
  bool missing[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    const int source = Numbers<T>::source(lane % 4, i), left = (z.ys.count - 1) % Operand<T>::kStep;
    line[i] = source * z.line_step, missing[i] = source > left;
    last_line[i] = min(source, left) * z.line_step;
  }
  const ZStep* next = begin;
  const auto load = [&](Numbers<T>& to) {
    const int64_t offset = next->offset;
    const bool last = next->last;
    ++next;
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int at = last ? last_line[i] : line[i];
      if constexpr (wide)
        to.load(i, column[0] + offset + at);
      else
#pragma unroll
        for (int j = 0; j < 4; ++j) to.load_one(i, j, column[j][offset + at]);
    }
  };
  const auto ask = [&](uint4(&to)[row_tiles], const ZStep& step) {
#pragma unroll
    for (int tile = 0; tile < row_tiles; ++tile)
      if (step.active >> tile & 1) to[tile] = bank[step.fragment + t.column.fragments_of(tile)];
  };
  float d[row_tiles][4][4] = {};
  uint4 w[2][row_tiles];
  Numbers<T> ahead[kAhead];
#pragma unroll
  for (int a = 0; a < kAhead; ++a)
    if (next < end) load(ahead[a]);
  ask(w[0], *begin);
#pragma unroll 1
  for (const ZStep* step = begin; step < end;) {
#pragma unroll
    for (int a = 0; a < kAhead; ++a) {
      if (step + 1 < end) ask(w[(a + 1) % 2], step[1]);
      const int active = step->active;
      uint32_t right[4][2];
      if (step->last) ahead[a].drop(missing);
      ahead[a].operands(right);
      if (next < end) load(ahead[a]);
#pragma unroll
      for (int tile = 0; tile < row_tiles; ++tile)
        if (row_tiles == 1 || active >> tile & 1) multiply_step<T>(d[tile], w[a % 2][tile], right);
      if (++step == end) break;
    }
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {  // this lane has columns 8 q to 8 q + 7
    const int first = n + lane % 4 * 8 + half * 4;
#pragma unroll
    for (int tile = 0; tile < row_tiles; ++tile)
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int i = tile * 16 + lane / 4 + r * 8;
        if (i >= b.is.count) continue;
        if constexpr (wide) {
          const Place at(first, t);
          if (at.position >= z.xs.count) continue;
          T* to = lines + at.position * t.lines_pitch;
          const int place = i * t.channels + at.channel;
          Operand<T>::put(to + Operand<T>::place(place), d[tile][0][r * 2 + half], d[tile][1][r * 2 + half],
                          d[tile][2][r * 2 + half], d[tile][3][r * 2 + half]);
        } else {
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            const Place at(first + j, t);
            if (at.position < z.xs.count)
              Operand<T>::put(lines + at.position * t.lines_pitch + Operand<T>::place(i * t.channels + at.channel),
                              d[tile][j][r * 2 + half]);
          }
        }
      }
  }
}

}  // namespace scdcf::ops::cuda::collecting
