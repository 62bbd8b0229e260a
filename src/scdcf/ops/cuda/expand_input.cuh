// What a block of matrix_expand.cu works on, and its input: from global memory to operands in shared memory.
#pragma once

#include "scdcf/ops/cuda/expand_operands.cuh"

namespace scdcf::ops::cuda::expanding {

/// What one block works on.
struct ExpandBlock {
  int scale, radius, entry, image, x_tile, y_tile, channel0, channels;
  LineSpan xs, ys, us, vs;  // targets, and what they read
};

/// The steps of the row tiles of both passes, at the beginning of shared memory.
struct Bands {
  uint32_t* row;
  uint32_t* column;
  __device__ explicit Bands(const MatrixTile& t)
      : row(reinterpret_cast<uint32_t*>(shared_memory())), column(row + t.row.row_tiles) {}
};

__device__ inline ExpandBlock block_of(const DeviceProblem& p, const MatrixTile& t) {
  ExpandBlock b;
  int64_t rest = blockIdx.x;
  b.channel0 = take_digit(rest, t.slabs) * t.channels;
  b.channels = min(t.channels, p.in_channels - b.channel0);
  b.x_tile = take_digit(rest, t.column_tiles), b.y_tile = take_digit(rest, t.line_tiles);
  b.entry = take_digit(rest, p.source_count), b.image = static_cast<int>(rest);
  b.scale = 0;
  while (p.scales[b.scale].source_end <= b.entry) ++b.scale;
  b.radius = p.scales[b.scale].radius;
  b.xs = t.row.targets_of(b.radius, b.x_tile), b.us = t.row.sources_of(b.radius, b.x_tile);
  b.ys = t.column.targets_of(b.radius, b.y_tile), b.vs = t.column.sources_of(b.radius, b.y_tile);
  return b;
}

/// Columns f, f + 1, ... of a tile whose columns are (position, channel): V of them that a lane has together.
struct Place {
  int position, channel;
  __device__ Place(int column, int slab) : position(column / slab), channel(column - position * slab) {}
};

/// [u][v,c] in the operands' order; rows up to a whole step are zero.
template <class T, bool wide>
__device__ void load_input(const DeviceProblem& p, const MatrixTile& t, const ExpandBlock& b, const T* plane,
                           T* input) {
  constexpr int kV = wide ? Operand<T>::kVector : 1;
  const int slab = t.channels, pieces = slab / kV, lane = threadIdx.x % 32;
  const T* from = plane + (int64_t(b.vs.begin) * p.in_width + b.us.begin) * p.in_channels + b.channel0;
  for (int v = threadIdx.x / 32; v < b.vs.count; v += kMatrixThreads / 32) {
    const T* line = from + int64_t(v) * p.in_width * p.in_channels;
#pragma unroll 4
    for (int i = lane; i < b.us.count * pieces; i += 32) {
      const int u = i / pieces, c = (i - u * pieces) * kV;
      T* to = input + u * t.first_pitch;
      const bool there = c < b.channels;
      const T* at = line + u * p.in_channels + c;
      if constexpr (wide && sizeof(T) == 4) {
        const float4 x = there ? *reinterpret_cast<const float4*>(at) : make_float4(0, 0, 0, 0);
        put(to + Operand<T>::place(v * slab + c), x.x, x.y);
        put(to + Operand<T>::place(v * slab + c + 2), x.z, x.w);
      } else if constexpr (wide) {
        const uint4 x = there ? *reinterpret_cast<const uint4*>(at) : make_uint4(0, 0, 0, 0);
        auto* words = reinterpret_cast<uint32_t*>(to + Operand<T>::place(v * slab + c));
        words[0] = x.x, words[4] = x.y, words[8] = x.z, words[12] = x.w;
      } else {
        put(to + Operand<T>::place(v * slab + c), there ? to_float(*at) : 0.0f);
      }
    }
  }
  const int rows = round_up(b.us.count, Operand<T>::kStep);
  for (int i = b.us.count * t.first_pitch + threadIdx.x; i < rows * t.first_pitch; i += kMatrixThreads)
    put(input + i, 0.0f);
}

constexpr int kRowTiles = 2, kColumnTiles = 4;  // row tiles that a warp makes at a time

/// lines [v][x,c] of one row factor.
}  // namespace scdcf::ops::cuda::expanding
