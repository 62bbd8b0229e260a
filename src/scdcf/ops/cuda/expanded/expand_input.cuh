// What a block of matrix_expand.cu works on, and its input: from global memory to operands in shared memory.
#pragma once

#include "scdcf/ops/cuda/expanded/pass_operands.cuh"

namespace scdcf::ops::cuda::expanding {

/// What one block works on.
struct ExpandBlock {
  int scale, radius, entry, image, x_tile, y_tile, channel0, channels;
  LineSpan xs, ys, us, vs;  // targets, and what they read
};

__device__ inline ExpandBlock block_of(const DeviceProblem& p, const MatrixTile& t) {
  ExpandBlock b;
  int rest = static_cast<int>(blockIdx.x);
  b.channel0 = take_digit(rest, t.slabs) * t.channels;
  b.channels = min(t.channels, p.in_channels - b.channel0);
  b.x_tile = take_digit(rest, t.column_tiles), b.y_tile = take_digit(rest, t.line_tiles);
  b.entry = take_digit(rest, p.source_count), b.image = rest;
  b.scale = 0;
  while (p.scales[b.scale].source_end <= b.entry) ++b.scale;
  b.radius = p.scales[b.scale].radius;
  b.xs = t.row.targets_of(b.radius, b.x_tile), b.us = t.row.sources_of(b.radius, b.x_tile);
  b.ys = t.column.targets_of(b.radius, b.y_tile), b.vs = t.column.sources_of(b.radius, b.y_tile);
  return b;
}

/// [u][v,c] in the operands' order; rows up to a whole step are zero. wide: 16 bytes at a time.
template <class T, bool wide>
__device__ void load_input(const DeviceProblem& p, const MatrixTile& t, const ExpandBlock& b, const T* plane,
                           T* input) {
  constexpr int kV = wide ? Operand<T>::kVector : 1;
  const int lane = threadIdx.x % 32;
  const T* from = plane + (int64_t(b.vs.begin) * p.in_width + b.us.begin) * p.in_channels + b.channel0;
  for (int v = threadIdx.x / 32; v < b.vs.count; v += kMatrixThreads / 32) {
    const T* line = from + int64_t(v) * p.in_width * p.in_channels;
#pragma unroll 4
    for (int i = lane * kV; i < b.us.count * t.channels; i += 32 * kV) {
      const Place at(i, t);
      const bool there = at.channel < b.channels;
      const T* x = line + at.position * p.in_channels + at.channel;
      T* to = input + at.position * t.first_pitch + Operand<T>::place(v * t.channels + at.channel);
      if constexpr (wide) {
        uint4 n = there ? *reinterpret_cast<const uint4*>(x) : make_uint4(0, 0, 0, 0);
        if constexpr (sizeof(T) == 4)
          n = make_uint4(round_tf32(bits_to_float(n.x)), round_tf32(bits_to_float(n.y)), round_tf32(bits_to_float(n.z)),
                         round_tf32(bits_to_float(n.w)));
        Operand<T>::keep(to, {{n.x, n.y, n.z, n.w}});
      } else {
        *to = Operand<T>::number(there ? to_float(*x) : 0.0f);
      }
    }
  }
  const int rows = round_up(b.us.count, Operand<T>::kStep);
  for (int i = b.us.count * t.first_pitch + threadIdx.x; i < rows * t.first_pitch; i += kMatrixThreads)
    input[i] = Operand<T>::number(0.0f);
}

}  // namespace scdcf::ops::cuda::expanding
