// One 1-D pass of a thread, from registers: acc[a][t] += weight_a(m) * value(m + t) for m = begin .. end - 1.
//
// The values that the N sums of a thread need overlap, so that each is read once and kept while it is needed: a ring of
// N registers, whose places are known to the compiler because the loop is unrolled over it. A step reads one value and
// the weights of M factors, for N * M multiplications. No value meets a weight that is not its own: what is not finite
// stays where the filters carry it.
#pragma once

#include "scdcf/ops/cuda/machine/arithmetic.cuh"

namespace scdcf::ops::cuda {

constexpr int kMostTogether = 4;  // factors whose sums a thread keeps at a time

/// A tap of several factors, read at once.
template <class F>
struct alignas(16) Taps {
  F of[kMostTogether];
};

template <int N, int M, class F, class Weights, class Value>
__device__ void slide(F (&acc)[M][N], int begin, int end, const Weights& weights, const Value& value) {
  if (begin >= end) return;
  F ring[N];
#pragma unroll
  for (int i = 0; i < N; ++i) ring[i] = value(begin + i);
#pragma unroll 1
  for (int m = begin; m < end; m += N)
#pragma unroll
    for (int u = 0; u < N; ++u) {
      if (m + u >= end) return;
      const auto w = weights(m + u);
#pragma unroll
      for (int a = 0; a < M; ++a)
#pragma unroll
        for (int t = 0; t < N; ++t) acc[a][t] += w.of[a] * ring[(t + u) % N];
      ring[u] = value(m + u + N);
    }
}

__host__ __device__ constexpr int floor_by(int x, int stride) { return stride == 1 ? x : x >> 1; }  // stride: 1 or 2
__host__ __device__ constexpr int ceil_by(int x, int stride) { return stride == 1 ? x : (x + 1) >> 1; }

/// How a thread of a block finds its channel and its place among the items that share the channels of a slab.
struct SlabLane {
  int channel, first, step;  // items first, first + step, ...
  bool active;

  __device__ SlabLane(int slab, int channels) {
    const int thread = static_cast<int>(threadIdx.x);
    step = static_cast<int>(blockDim.x) / slab;
    channel = thread % slab;
    first = thread / slab;
    active = first < step && channel < channels;
  }
};

/// Items of a lane as pixels of a rectangle, without a division for each.
struct PixelWalk {
  int y, x;

  __device__ PixelWalk(const SlabLane& lane, int columns)
      : columns_(columns), step_y_(lane.step / columns), step_x_(lane.step - step_y_ * columns) {
    y = lane.first / columns, x = lane.first - y * columns;
  }
  __device__ void next() {
    y += step_y_, x += step_x_;
    if (x >= columns_) x -= columns_, ++y;
  }

 private:
  int columns_, step_y_, step_x_;
};

/// Calls body(M) with M = count as a constant.
template <int value>
struct Together {
  static constexpr int kCount = value;
};
template <class Body>
__device__ void with_count(int count, const Body& body) {
  if (count == 1) return body(Together<1>{});
  if (count == 2) return body(Together<2>{});
  if (count == 3) return body(Together<3>{});
  body(Together<4>{});
}

}  // namespace scdcf::ops::cuda
