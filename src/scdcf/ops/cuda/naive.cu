#include "scdcf/ops/cuda/naive.h"

#include "scdcf/ops/cuda/primitives.cuh"

namespace scdcf::ops::cuda {
namespace {

__device__ float load_value(const float* p) { return *p; }
__device__ double load_value(const double* p) { return *p; }
__device__ float load_value(const bf16* p) { return __bfloat162float(*p); }
__device__ void store_value(float* p, float x) { *p = x; }
__device__ void store_value(double* p, double x) { *p = x; }
__device__ void store_value(bf16* p, float x) { *p = __float2bfloat16(x); }

/// Z of the contract for one plane, mode, pixel and channel.
template <class T, class F>
__device__ F sample(const DeviceProblem& p, const ScaleEntry& scale, const T* plane, const F* factors, int k, int y,
                    int x, int c) {
  const int taps = 2 * scale.radius + 1;
  const F* column = factors + scale.column_offset + p.modes[k].column * taps;
  const F* row = factors + scale.row_offset + p.modes[k].row * taps;
  const LineOperator ys{p.y_axis(), scale.radius}, xs{p.x_axis(), scale.radius};
  int y0, y1, x0, x1;
  ys.inputs_of(y, y + 1, y0, y1);
  xs.inputs_of(x, x + 1, x0, x1);
  F z = 0;
  for (int i = y0; i < y1; ++i) {
    F line = 0;
    for (int j = x0; j < x1; ++j)
      line += xs.weight(row, x, j) * F(load_value(plane + (int64_t(i) * p.in_width + j) * p.in_channels + c));
    z += ys.weight(column, y, i) * line;
  }
  return z;
}

template <class T, class F>
__global__ void forward_kernel(const DeviceProblem p, const T* in, const F* factors, const F* mixing, T* out,
                               int64_t count) {
  const int64_t index = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= count) return;
  int64_t rest = index;
  const int o = take_digit(rest, p.out_channels);
  const int x = take_digit(rest, p.out_width);
  const int y = take_digit(rest, p.out_height);
  const int s = rest % p.scale_count;
  const int64_t n = rest / p.scale_count;
  const ScaleEntry scale = p.scales[s];
  const int64_t plane_size = int64_t(p.in_height) * p.in_width * p.in_channels;
  F sum = 0;
  for (int j = scale.source_begin; j < scale.source_end; ++j) {
    const T* plane = in + (n * p.planes + p.sources[j].plane) * plane_size;
    const F* m = mixing + int64_t(p.sources[j].mixing) * p.mode_count * p.in_channels * p.out_channels + o;
    for (int k = 0; k < p.mode_count; ++k)
      for (int c = 0; c < p.in_channels; ++c)
        sum += m[(int64_t(k) * p.in_channels + c) * p.out_channels] * sample(p, scale, plane, factors, k, y, x, c);
  }
  store_value(out + index, sum);
}

template <class T, class F>
__global__ void grad_in_kernel(const DeviceProblem p, const T* grad_out, const F* factors, const F* mixing, T* grad_in,
                               int64_t count) {
  const int64_t index = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= count) return;
  int64_t rest = index;
  const int c = take_digit(rest, p.in_channels);
  const int j = take_digit(rest, p.in_width);
  const int i = take_digit(rest, p.in_height);
  const int plane = rest % p.planes;
  const int64_t n = rest / p.planes;
  const int64_t plane_size = int64_t(p.out_height) * p.out_width * p.out_channels;
  F sum = 0;
  for (int s = 0; s < p.scale_count; ++s) {
    const ScaleEntry scale = p.scales[s];
    const int taps = 2 * scale.radius + 1;
    const LineOperator ys{p.y_axis(), scale.radius}, xs{p.x_axis(), scale.radius};
    int y0, y1, x0, x1;
    ys.outputs_of(i, i + 1, y0, y1);
    xs.outputs_of(j, j + 1, x0, x1);
    for (int e = scale.source_begin; e < scale.source_end; ++e) {
      if (p.sources[e].plane != plane) continue;
      const F* m = mixing + (int64_t(p.sources[e].mixing) * p.mode_count * p.in_channels + c) * p.out_channels;
      for (int y = y0; y < y1; ++y)
        for (int x = x0; x < x1; ++x) {
          const T* g =
              grad_out + (n * p.scale_count + s) * plane_size + (int64_t(y) * p.out_width + x) * p.out_channels;
          for (int k = 0; k < p.mode_count; ++k) {
            const F w = ys.weight(factors + scale.column_offset + p.modes[k].column * taps, y, i) *
                        xs.weight(factors + scale.row_offset + p.modes[k].row * taps, x, j);
            F dot = 0;
            for (int o = 0; o < p.out_channels; ++o)
              dot += m[int64_t(k) * p.in_channels * p.out_channels + o] * F(load_value(g + o));
            sum += w * dot;
          }
        }
    }
  }
  store_value(grad_in + index, sum);
}

constexpr int kReduceThreads = 128;

/// One block per coefficient; a fixed tree adds the threads' sums.
template <class T, class F>
__global__ void grad_mixing_kernel(const DeviceProblem p, const T* in, const F* factors, const T* grad_out,
                                   F* grad_mixing) {
  int64_t rest = blockIdx.x;
  const int o = take_digit(rest, p.out_channels);
  const int c = take_digit(rest, p.in_channels);
  const int k = rest % p.mode_count;
  const int j = rest / p.mode_count;
  const int64_t in_size = int64_t(p.in_height) * p.in_width * p.in_channels;
  const int64_t pixels = int64_t(p.out_height) * p.out_width;
  F sum = 0;
  for (int s = 0; s < p.scale_count; ++s)
    for (int e = p.scales[s].source_begin; e < p.scales[s].source_end; ++e) {
      if (p.sources[e].mixing != j) continue;
      for (int64_t t = threadIdx.x; t < pixels * p.batch; t += kReduceThreads) {
        const int64_t n = t / pixels, pixel = t % pixels;
        const T* plane = in + (n * p.planes + p.sources[e].plane) * in_size;
        const F z = sample(p, p.scales[s], plane, factors, k, int(pixel / p.out_width), int(pixel % p.out_width), c);
        sum += z * F(load_value(grad_out + ((n * p.scale_count + s) * pixels + pixel) * p.out_channels + o));
      }
    }
  F* sums = reinterpret_cast<F*>(shared_memory());
  sums[threadIdx.x] = sum;
  for (int half = kReduceThreads / 2; half > 0; half /= 2) {
    sync_block();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) grad_mixing[blockIdx.x] = sums[0];
}

/// Calls body(T{}, F{}) with the element and the accumulation type of `type`.
template <class Body>
void dispatch(DataType type, Body body) {
  if (type == DataType::float64)
    body(double{}, double{});
  else if (type == DataType::float32)
    body(float{}, float{});
  else
    body(bf16{}, float{});
}

constexpr int kThreads = 128;

}  // namespace

void naive_forward(const DeviceProblem& p, const void* in, const void* factors, const void* mixing, void* out,
                   DataType type, cudaStream_t stream) {
  const int64_t count = int64_t(p.batch) * p.scale_count * p.out_height * p.out_width * p.out_channels;
  dispatch(type, [&](auto t, auto f) {
    using T = decltype(t);
    using F = decltype(f);
    launch(forward_kernel<T, F>, divide_up(count, kThreads), kThreads, 0, stream, p, static_cast<const T*>(in),
           static_cast<const F*>(factors), static_cast<const F*>(mixing), static_cast<T*>(out), count);
  });
}

void naive_grad_in(const DeviceProblem& p, const void* grad_out, const void* factors, const void* mixing, void* grad_in,
                   DataType type, cudaStream_t stream) {
  const int64_t count = int64_t(p.batch) * p.planes * p.in_height * p.in_width * p.in_channels;
  dispatch(type, [&](auto t, auto f) {
    using T = decltype(t);
    using F = decltype(f);
    launch(grad_in_kernel<T, F>, divide_up(count, kThreads), kThreads, 0, stream, p, static_cast<const T*>(grad_out),
           static_cast<const F*>(factors), static_cast<const F*>(mixing), static_cast<T*>(grad_in), count);
  });
}

void naive_grad_mixing(const DeviceProblem& p, const void* in, const void* factors, const void* grad_out,
                       void* grad_mixing, DataType type, cudaStream_t stream) {
  const int64_t count = int64_t(p.mixings) * p.mode_count * p.in_channels * p.out_channels;
  dispatch(type, [&](auto t, auto f) {
    using T = decltype(t);
    using F = decltype(f);
    launch(grad_mixing_kernel<T, F>, count, kReduceThreads, kReduceThreads * sizeof(F), stream, p,
           static_cast<const T*>(in), static_cast<const F*>(factors), static_cast<const T*>(grad_out),
           static_cast<F*>(grad_mixing));
  });
}

}  // namespace scdcf::ops::cuda
