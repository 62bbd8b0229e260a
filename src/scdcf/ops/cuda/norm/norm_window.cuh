// The windows of the pooling, seen from an output (which pixels) and from a pixel (which outputs).
#pragma once

#include "scdcf/ops/cuda/norm/norm_lanes.cuh"

namespace scdcf::ops::cuda {

struct NormShape {
  int channels, in_height, in_width, out_height, out_width, window, stride, padding;
  bool keeps_zero;
  Divisor by_in_height, by_in_width, by_out_height, by_out_width, by_stride;

  explicit NormShape(const NormPoolProblem& p)
      : channels(static_cast<int>(p.channels)),
        in_height(static_cast<int>(p.in_height)),
        in_width(static_cast<int>(p.in_width)),
        out_height(static_cast<int>(p.out_height)),
        out_width(static_cast<int>(p.out_width)),
        window(static_cast<int>(p.window)),
        stride(static_cast<int>(p.stride)),
        padding(static_cast<int>(p.padding)),
        keeps_zero(p.keeps_zero),
        by_in_height(p.in_height),
        by_in_width(p.in_width),
        by_out_height(p.out_height),
        by_out_width(p.out_width),
        by_stride(p.stride) {}
};

struct WindowSpan {
  int begin, end;
  __device__ int size() const { return end - begin; }
};

/// The pixels of a window along one axis that lie inside the map.
__device__ inline WindowSpan window_span(const NormShape& s, int output, int size) {
  const int start = output * s.stride - s.padding;
  return {start < 0 ? 0 : start, start + s.window < size ? start + s.window : size};
}

/// The outputs along one axis whose window holds a pixel.
__device__ inline WindowSpan cover_span(const NormShape& s, int pixel, int outputs) {
  const int reach = pixel + s.padding;  // output o holds it when o * stride <= reach < o * stride + window
  const int last = static_cast<int>(s.by_stride.divide(static_cast<uint32_t>(reach)));
  const int first = reach < s.window ? 0 : static_cast<int>(s.by_stride.divide(uint32_t(reach - s.window))) + 1;
  return {first, last + 1 < outputs ? last + 1 : outputs};
}

/// body(values) for V channels of every pixel of the window of output `item`, all of a small window loaded before the
/// first is used; returns 1 / number of pixels.
template <int W, int V, class T, class Body>
__device__ Arithmetic<T> visit_window(const NormShape& s, const T* x, int channel, int item, Body body) {
  using F = Arithmetic<T>;
  if constexpr (W == 1) {
    F values[V];
    load_pack<V>(x + int64_t(item) * s.channels + channel, values);
    body(values);
    return F(1);
  } else {
    uint32_t plane = static_cast<uint32_t>(item);
    const int ox = s.by_out_width.take(plane), oy = s.by_out_height.take(plane);
    if constexpr (W == 2) {
      const int64_t line = int64_t(s.in_width) * s.channels;
      const T* corner = x + (int64_t(plane) * s.in_height + 2 * oy) * line + int64_t(2 * ox) * s.channels + channel;
      F values[4][V];
#pragma unroll
      for (int i = 0; i < 4; ++i) load_pack<V>(corner + (i / 2) * line + (i % 2) * s.channels, values[i]);
#pragma unroll
      for (int i = 0; i < 4; ++i) body(values[i]);
      return F(0.25);
    } else {
      const WindowSpan ys = window_span(s, oy, s.in_height), xs = window_span(s, ox, s.in_width);
      for (int y = ys.begin; y < ys.end; ++y) {
        const T* line = x + ((int64_t(plane) * s.in_height + y) * s.in_width) * s.channels + channel;
#pragma unroll 4
        for (int c = xs.begin; c < xs.end; ++c) {
          F values[V];
          load_pack<V>(line + int64_t(c) * s.channels, values);
          body(values);
        }
      }
      return F(1) / F(ys.size() * xs.size());
    }
  }
}

/// The sum over the outputs that hold pixel `item` of their gradient times their share of it: the gradient before the
/// pooling.
template <int W, int V, class T>
__device__ void unpool(const NormShape& s, const T* grad_y, int channel, int item, Arithmetic<T> (&sum)[V]) {
  using F = Arithmetic<T>;
  if constexpr (W == 1) {
    load_pack<V>(grad_y + int64_t(item) * s.channels + channel, sum);
  } else {
    uint32_t plane = static_cast<uint32_t>(item);
    const int px = s.by_in_width.take(plane), py = s.by_in_height.take(plane);
    const auto grad_at = [&](int oy, int ox) {
      return grad_y + ((int64_t(plane) * s.out_height + oy) * s.out_width + ox) * s.channels + channel;
    };
#pragma unroll
    for (int i = 0; i < V; ++i) sum[i] = 0;
    if constexpr (W == 2) {
      if (py / 2 >= s.out_height || px / 2 >= s.out_width) return;  // the last row or column of an odd map
      load_pack<V>(grad_at(py / 2, px / 2), sum);
#pragma unroll
      for (int i = 0; i < V; ++i) sum[i] *= F(0.25);
    } else {
      const WindowSpan ys = cover_span(s, py, s.out_height), xs = cover_span(s, px, s.out_width);
      for (int oy = ys.begin; oy < ys.end; ++oy)
        for (int ox = xs.begin; ox < xs.end; ++ox) {
          const F share = F(1) / F(window_span(s, oy, s.in_height).size() * window_span(s, ox, s.in_width).size());
          F grad[V];
          load_pack<V>(grad_at(oy, ox), grad);
#pragma unroll
          for (int i = 0; i < V; ++i) sum[i] += grad[i] * share;
        }
    }
  }
}

}  // namespace scdcf::ops::cuda
