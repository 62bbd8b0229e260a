// One 1-D factor bank applied along one axis, with padding and stride folded in: a banded matrix weight(f, o, i).
//
// Forward, output o sums weight(f, o, i) * in[i]; the adjoint sums over o instead. Both passes of both directions are
// therefore small matrix products, and padding is only a matter of these numbers.
#pragma once

#include <cuda_runtime.h>

#include "scdcf/ops/separable_problem.h"

namespace scdcf::ops::cuda {

struct LineAxis {
  int out, in, stride, origin, replicate;
};

struct LineSpan {
  int begin, count;
};

struct LineOperator {
  LineAxis axis;
  int radius;

  /// The coefficient of input i in output o for the factor with taps f[0 .. 2*radius]. Replicate padding adds to the
  /// two border pixels every tap that falls beyond them.
  template <class F>
  __host__ __device__ F weight(const F* f, int o, int i) const {
    const int last = 2 * radius;
    const int tap = i - (o * axis.stride + axis.origin - radius);
    int begin = tap, end = tap;
    if (axis.replicate) {
      if (i == 0) begin = 0;
      if (i == axis.in - 1) end = last;
    }
    begin = begin < 0 ? 0 : begin;
    end = end > last ? last : end;
    F sum = 0;
    for (int d = begin; d <= end; ++d) sum += f[d];
    return sum;
  }

  /// Inputs that outputs [o0, o1) can read: [begin, end), never empty.
  __host__ __device__ void inputs_of(int o0, int o1, int& begin, int& end) const {
    begin = clamp(o0 * axis.stride + axis.origin - radius, axis.in);
    end = clamp((o1 - 1) * axis.stride + axis.origin + radius, axis.in) + 1;
  }

  /// Outputs that can read inputs [i0, i1): [begin, end), never empty.
  __host__ __device__ void outputs_of(int i0, int i1, int& begin, int& end) const {
    const int low = i0 - axis.origin - radius, high = i1 - 1 - axis.origin + radius;
    begin = i0 == 0 ? 0 : clamp(low <= 0 ? 0 : by_stride(low + axis.stride - 1), axis.out);
    end = i1 == axis.in ? axis.out : clamp(high <= 0 ? 0 : by_stride(high), axis.out) + 1;
    if (end <= begin) end = begin + 1;
  }

 private:
  /// A division takes forty instructions; the stride is nearly always 1.
  __host__ __device__ int by_stride(int x) const { return axis.stride == 1 ? x : x / axis.stride; }
  __host__ __device__ static int clamp(int x, int size) { return x < 0 ? 0 : (x >= size ? size - 1 : x); }
};

}  // namespace scdcf::ops::cuda
