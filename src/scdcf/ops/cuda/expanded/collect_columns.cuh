// The first pass of matrix_collect.cu: Z from global memory, the column factors of all modes of a row factor, to lines
// in shared memory.
#pragma once

#include "scdcf/ops/cuda/expanded/pass_operands.cuh"

namespace scdcf::ops::cuda::collecting {

constexpr int kAhead = 2;  // steps of Z that a warp has asked for before it needs them

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

/// Z of a tile of columns x, of one entry: where it begins, and how it goes on.
template <class T>
struct Expanded {
  const T* at;  // first column of the tile, first line that is read, first channel of the slab
  int line_step, pixel_step, mode_step;
  LineSpan xs, ys;
};

/// Eight neighbouring columns, from a multiple of 8 on.
__device__ inline void keep_columns(float* row, int column, const float (&x)[8]) {
#pragma unroll
  for (int e = 0; e < 8; e += 4)
    Operand<float>::keep(row + Operand<float>::place(column + e),
                         {{round_tf32(x[e]), round_tf32(x[e + 1]), round_tf32(x[e + 2]), round_tf32(x[e + 3])}});
}
__device__ inline void keep_columns(bf16* row, int column, const float (&x)[8]) {
  Operand<bf16>::keep(row + Operand<bf16>::place(column),
                      {{pack_bf16(x[0], x[1]), pack_bf16(x[2], x[3]), pack_bf16(x[4], x[5]), pack_bf16(x[6], x[7])}});
}

/// Goes through Z mode by mode, each step after step, and loads what a lane needs for a unit of columns. Lines beyond
/// the last are read as the last: their factors are zero.
template <class T, bool wide>
struct ZReader {
  static constexpr int kLoads = Numbers<T>::kLoads, kColumns = wide ? 1 : 4;
  const MatrixTile& t;
  const ModesByRow& modes;
  const char *first, *at;                     // mode 0, this mode: first line, the lane's first column
  uint32_t line_bytes, mode_bytes, fragment;  // fragment: where those of this mode are, in bytes
  int last_line, steps, mode, step;
  int column[kColumns];  // from the first

  __device__ ZReader(const MatrixTile& tile, const ModesByRow& m, const CollectBlock& b, const Expanded<T>& z, int n,
                     int begin)
      : t(tile),
        modes(m),
        line_bytes(z.line_step * uint32_t(sizeof(T))),
        mode_bytes(z.mode_step * uint32_t(sizeof(T))),
        last_line(z.ys.count - 1),
        steps(last_line / Operand<T>::kStep + 1) {
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      const Place place(n + threadIdx.x % 32 / 4 * 4 + j, t);
      const bool there = place.position < z.xs.count && place.channel < b.channels;  // else: columns nobody needs
      column[j] = there ? place.position * z.pixel_step + place.channel : 0;
    }
    first = reinterpret_cast<const char*>(z.at + (wide ? column[0] : 0));
    begin_mode(begin);
  }
  __device__ void begin_mode(int number) {
    mode = number, step = 0;
    at = first + uint64_t(uint32_t(modes.k[number % kMaxModes])) * mode_bytes;
    fragment = modes.column[number % kMaxModes] * t.column.fragments() * uint32_t(sizeof(uint4));
  }
  /// Loads a step, goes to the next, and says where the fragments of the step are.
  __device__ uint32_t load(Numbers<T>& to) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int line = min(step * Operand<T>::kStep + Numbers<T>::source(threadIdx.x % 4, i), last_line);
      const T* from = reinterpret_cast<const T*>(at + uint64_t(uint32_t(line)) * line_bytes);
      if constexpr (wide)
        to.load(i, from);
      else
#pragma unroll
        for (int j = 0; j < 4; ++j) to.load_one(i, j, from[column[j]]);
    }
    const uint32_t at_step = fragment + step * 32 * uint32_t(sizeof(uint4));
    if (++step == steps) begin_mode(mode + 1);
    return at_step;
  }
};

/// lines [x][i,c] of one row factor, whose modes are `begin` to `end` - 1, for the unit of columns n: column 4 c + j of
/// the unit is column c of product j. Z is asked for kAhead steps before it is needed, fragments one step before.
template <class T, int row_tiles, bool wide>
__device__ void column_products(const MatrixTile& t, const ModesByRow& modes, int begin, int end, const CollectBlock& b,
                                const Expanded<T>& z, int n, const uint4* bank, T* lines) {
  const int lane = threadIdx.x % 32;
  ZReader<T, wide> reader(t, modes, b, z, n, begin);
  float d[row_tiles][4][4] = {};
  Numbers<T> ahead[kAhead];
  uint32_t fragment[kAhead];
  int left = (end - begin) * reader.steps;
  const char* own[row_tiles];
#pragma unroll
  for (int tile = 0; tile < row_tiles; ++tile)
    own[tile] = reinterpret_cast<const char*>(bank + t.column.fragments_of(tile));
#pragma unroll
  for (int a = 0; a < kAhead; ++a)
    if (a < left) fragment[a] = reader.load(ahead[a]);
  uint4 w[2][row_tiles];
  const auto ask = [&](int a) {
#pragma unroll
    for (int tile = 0; tile < row_tiles; ++tile)
      w[a % 2][tile] = *reinterpret_cast<const uint4*>(own[tile] + fragment[a % kAhead]);
  };
  ask(0);
#pragma unroll 1
  for (; left > 0; left -= kAhead) {
#pragma unroll
    for (int a = 0; a < kAhead; ++a) {
      if (a >= left) break;
      if (a + 1 < left) ask(a + 1);
      uint32_t right[4][2];
      ahead[a].operands(right);
      if (a + kAhead < left) fragment[a] = reader.load(ahead[a]);
#pragma unroll
      for (int tile = 0; tile < row_tiles; ++tile) multiply_step<T>(d[tile], w[a % 2][tile], right);
    }
  }
  // The columns of product j are 4 c + j: of a row this lane has columns 8 q to 8 q + 7.
  const int first = n + lane % 4 * 8;
#pragma unroll
  for (int tile = 0; tile < row_tiles; ++tile)
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int i = tile * 16 + lane / 4 + r * 8;
      if (i >= b.is.count) continue;
      float own[8];
#pragma unroll
      for (int e = 0; e < 8; ++e) own[e] = d[tile][e % 4][r * 2 + e / 4];
      if constexpr (wide) {
        const Place at(first, t);
        if (at.position < z.xs.count)
          keep_columns(lines + at.position * t.lines_pitch, i * t.channels + at.channel, own);
      } else {
#pragma unroll
        for (int e = 0; e < 8; ++e) {
          const Place at(first + e, t);
          if (at.position < z.xs.count)
            lines[at.position * t.lines_pitch + Operand<T>::place(i * t.channels + at.channel)] =
                Operand<T>::number(own[e]);
        }
      }
    }
}

}  // namespace scdcf::ops::cuda::collecting
