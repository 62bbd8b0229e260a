// The second pass of matrix_collect.cu: lines, with some row factors, to sums in shared memory, and these to global
// memory.
#pragma once

#include "scdcf/ops/cuda/expanded/collect_columns.cuh"

namespace scdcf::ops::cuda::collecting {

constexpr int kRowTiles = 2;  // of the second pass, that one load of columns serves

/// The window of sums [j][i,c]: columns from `begin` on, the first of them in row `slot`.
struct Window {
  float* sums;
  int pitch, size, begin, slot;
  __device__ float* row(int j) const {
    const int at = slot + j - begin;
    return sums + (at >= size ? at - size : at) * pitch;
  }
};

/// Adds to `count` row tiles of columns of the window, from js.begin + 16 * first on, what the lines of some row
/// factors have for them. bank: this lane's fragments for row factor 0.
template <class T, int count>
__device__ void row_products(const MatrixTile& t, const ModesByRow& modes, int factor, int factors, const LineSpan& js,
                             int first, int n, const T* lines, const uint4* bank, const Steps* band,
                             const Window& window) {
  const int lane = threadIdx.x % 32;
  const Steps steps = steps_together<count>(band, first);
  float d[count][4][4] = {};
#pragma unroll 1
  for (int f = 0; f < factors; ++f) {
    const uint4* own[count];
#pragma unroll
    for (int i = 0; i < count; ++i)
      own[i] = bank + modes.row[factor + f] * t.row.fragments() + t.row.fragments_of(first + i);
    multiply_tiles<T>(d, lines + f * (t.lines_size / int(sizeof(T))) + n, t.lines_pitch, own, steps);
  }
#pragma unroll
  for (int i = 0; i < count; ++i)
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int j = (first + i) * 16 + lane / 4 + r * 8;
      if (j >= js.count) continue;
      float* row = window.row(js.begin + j) + n;
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        constexpr int kPieces = Operand<T>::kPieces;
        const int piece = h % kPieces, e = h / kPieces * 4;  // four numbers of it
        float4& sum = *reinterpret_cast<float4*>(row + Operand<T>::column(piece) + e);
        float4 s = sum;
        s.x += Operand<T>::result(d[i], r, piece, e), s.y += Operand<T>::result(d[i], r, piece, e + 1);
        s.z += Operand<T>::result(d[i], r, piece, e + 2), s.w += Operand<T>::result(d[i], r, piece, e + 3);
        sum = s;
      }
    }
}

/// Writes columns [window.begin, to) of the gradient and makes room for others.
template <class T>
__device__ void flush(const DeviceProblem& p, const MatrixTile& t, const CollectBlock& b, Window& window, int to,
                      T* grad_in) {
  const int numbers = b.is.count * t.channels;
  T* at = grad_in + int64_t(b.is.begin) * p.in_width * p.in_channels + b.channel0;
  for (int j = window.begin; j < to; ++j) {
    float* row = window.row(j);
    for (int n = threadIdx.x; n < numbers; n += kMatrixThreads) {
      const Place place(n, t);
      if (place.channel < b.channels) {
        const float x = row[n];
        T& target = at[(int64_t(place.position) * p.in_width + j) * p.in_channels + place.channel];
        if constexpr (sizeof(T) == 2)
          target = __float2bfloat16(x);
        else
          target = x;
      }
      row[n] = 0;
    }
  }
  window.slot += to - window.begin;
  if (window.slot >= window.size) window.slot -= window.size;
  window.begin = to;
}

}  // namespace scdcf::ops::cuda::collecting
