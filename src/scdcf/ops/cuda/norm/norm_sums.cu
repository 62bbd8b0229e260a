// Two sums per channel over all pixels, in double: every block adds up a chunk of pixels, then one block per channel
// adds up the chunks in a fixed order and turns the sums into what the maps need.
#include "scdcf/ops/cuda/norm/norm_window.cuh"
#include "scdcf/ops/norm_relu_pool_finish.h"

namespace scdcf::ops::cuda {
namespace {

/// The sums of the threads of a block that hold the same channels, to parts[channel][2][chunk].
template <int V>
__device__ void add_rows(const Lanes& lanes, const Lane<V>& lane, const double (&first)[V], const double (&second)[V],
                         double* parts) {
  double* shared = reinterpret_cast<double*>(shared_memory());  // [2][rows][vectors * V]
  const int width = lanes.vectors * V;
  if (lane.active)
#pragma unroll
    for (int i = 0; i < V; ++i) {
      shared[lane.row * width + lane.column * V + i] = first[i];
      shared[(lanes.rows + lane.row) * width + lane.column * V + i] = second[i];
    }
  sync_block();
  const int tile = static_cast<int>(blockIdx.x) % lanes.tiles * width;
  for (int at = static_cast<int>(threadIdx.x); at < 2 * width; at += kNormThreads) {
    const int which = at / width, channel = tile + at % width;
    if (channel >= lanes.channels) continue;
    double sum = 0;
    for (int row = 0; row < lanes.rows; ++row) sum += shared[(which * lanes.rows + row) * width + at % width];
    parts[(int64_t(channel) * 2 + which) * kMostChunks + lane.chunk] = sum;
  }
}

template <int V>
size_t shared_bytes(const Lanes& lanes) {
  return 2 * sizeof(double) * lanes.rows * lanes.vectors * V;
}

template <class T, int V>
__global__ void __launch_bounds__(kNormThreads)
    statistics_kernel(const Lanes lanes, const T* __restrict__ x, double* __restrict__ parts) {
  using F = Arithmetic<T>;
  constexpr int kBatch = 4;  // loads on their way at a time
  const Lane<V> lane(lanes);
  double sum[V] = {}, squares[V] = {};
  if (lane.active) {
    F first[V];
    load_pack<V>(x + lane.channel, first);
    const T* from = x + lane.channel;
    const auto add = [&](const F(&values)[V]) {
#pragma unroll
      for (int i = 0; i < V; ++i) {
        const double d = double(values[i]) - double(first[i]);
        sum[i] += d;
        squares[i] += d * d;
      }
    };
    int item = lane.begin;
    for (; item < lane.end - (kBatch - 1) * lanes.rows; item += kBatch * lanes.rows) {
      F values[kBatch][V];
#pragma unroll
      for (int b = 0; b < kBatch; ++b)
        load_pack<V>(from + (int64_t(item) + b * lanes.rows) * lanes.channels, values[b]);
#pragma unroll
      for (int b = 0; b < kBatch; ++b) add(values[b]);
    }
    for (; item < lane.end; item += lanes.rows) {
      F values[V];
      load_pack<V>(from + int64_t(item) * lanes.channels, values);
      add(values);
    }
  }
  add_rows(lanes, lane, sum, squares, parts);
}

/// A window's gradient is the same for all its pixels, so their number and sum behind the ReLU are enough.
template <class T, int V, int W>
__global__ void __launch_bounds__(kNormThreads)
    gradient_kernel(const NormShape shape, const Lanes lanes, const T* __restrict__ x, const T* __restrict__ grad_y,
                    const Arithmetic<T>* __restrict__ weight, const Arithmetic<T>* __restrict__ bias,
                    const double* __restrict__ mean, const double* __restrict__ invstd, double* __restrict__ parts) {
  using F = Arithmetic<T>;
  const Lane<V> lane(lanes);
  double grads[V] = {}, products[V] = {};
  if (lane.active) {
    F centre[V], scale[V], shift[V], ground[V];
#pragma unroll
    for (int i = 0; i < V; ++i) {
      const int c = lane.channel + i;
      F own[kNormCoefficients];
      forward_coefficients(mean[c], invstd[c], weight[c], bias[c], shape.keeps_zero, 1, own);
      centre[i] = own[kCentre];
      scale[i] = own[kScale];
      shift[i] = own[kShift];
      ground[i] = own[kGround];
    }
    for (int item = lane.begin; item < lane.end; item += lanes.rows) {
      F grad[V], active[V] = {}, sum[V] = {};
      load_pack<V>(grad_y + int64_t(item) * shape.channels + lane.channel, grad);
      const F share = visit_window<W, V>(shape, x, lane.channel, item, [&](const F(&values)[V]) {
#pragma unroll
        for (int i = 0; i < V; ++i) {
          const F d = values[i] - centre[i];
          const bool off = d * scale[i] + shift[i] <= F(0);
          active[i] += off ? F(0) : F(1);
          sum[i] += off ? F(0) : d;
        }
      });
#pragma unroll
      for (int i = 0; i < V; ++i) {
        const double g = grad[i] * share, taken_off = ground[i] > F(0) ? grad[i] : F(0);
        grads[i] += g * active[i] - taken_off;
        products[i] += g * sum[i] + taken_off * centre[i];
      }
    }
  }
  add_rows(lanes, lane, grads, products, parts);
}

constexpr int kFinishThreads = 128;

/// The two sums of channel blockIdx.x over its chunks; right in thread 0.
__device__ void add_chunks(const double* parts, int chunks, double (&sums)[2]) {
  double* shared = reinterpret_cast<double*>(shared_memory());  // [2][kFinishThreads]
  const int thread = static_cast<int>(threadIdx.x);
  const double* own = parts + int64_t(blockIdx.x) * 2 * kMostChunks;
  for (int which = 0; which < 2; ++which) {
    double sum = 0;
    for (int chunk = thread; chunk < chunks; chunk += kFinishThreads) sum += own[which * kMostChunks + chunk];
    shared[which * kFinishThreads + thread] = sum;
  }
  for (int half = kFinishThreads / 2; half > 0; half /= 2) {
    sync_block();
    if (thread < half)
      for (int which = 0; which < 2; ++which)
        shared[which * kFinishThreads + thread] += shared[which * kFinishThreads + thread + half];
  }
  sums[0] = shared[0];
  sums[1] = shared[kFinishThreads];
}

template <class T>
__global__ void finish_statistics_kernel(const NormSettings settings, double count, int chunks, const T* x,
                                         const double* parts, const Arithmetic<T>* weight, const Arithmetic<T>* bias,
                                         Arithmetic<T>* running_mean, Arithmetic<T>* running_var, double* mean,
                                         double* invstd, Arithmetic<T>* coefficients, int channels) {
  double sums[2];
  add_chunks(parts, chunks, sums);
  if (threadIdx.x != 0) return;
  const int c = static_cast<int>(blockIdx.x);
  if (chunks > 0) {
    const ChannelStatistics found = statistics_of({double(widen(x[c])), sums[0], sums[1]}, count);
    update_running(found, count, settings.momentum, running_mean[c], running_var[c]);
    mean[c] = found.mean;
    invstd[c] = invstd_of(found.variance, settings.eps);
  } else {
    mean[c] = running_mean[c];
    invstd[c] = invstd_of(running_var[c], settings.eps);
  }
  forward_coefficients(mean[c], invstd[c], weight[c], bias[c], settings.keeps_zero, channels, coefficients + c);
}

template <class F>
__global__ void finish_gradients_kernel(bool training, double count, int chunks, const double* parts, const F* weight,
                                        const F* bias, const double* mean, const double* invstd, F* grad_weight,
                                        F* grad_bias, F* coefficients, int channels) {
  double sums[2];
  add_chunks(parts, chunks, sums);
  if (threadIdx.x != 0) return;
  const int c = static_cast<int>(blockIdx.x);
  // The ground is not needed any more.
  forward_coefficients(mean[c], invstd[c], weight[c], bias[c], /*keeps_zero=*/false, channels, coefficients + c);
  backward_coefficients({sums[0], sums[1]}, mean[c], invstd[c], weight[c], count, training, channels, coefficients + c,
                        grad_weight[c], grad_bias[c]);
}

constexpr size_t kFinishShared = 2 * kFinishThreads * sizeof(double);

}  // namespace

int sum_statistics(const NormPoolProblem& p, const void* x, double* parts, DataType type, cudaStream_t stream) {
  NormPoolProblem flat = p;  // the pooling does not matter here
  flat.window = flat.stride = 1;
  flat.padding = 0;
  int chunks = 0;
  dispatch_norm(flat, type, is_aligned(x), [&](auto t, auto v, auto) {
    using T = decltype(t);
    constexpr int V = decltype(v)::kValue;
    const Lanes lanes(p, V, p.pixels(), kMostChunks);
    chunks = lanes.chunks();
    launch(statistics_kernel<T, V>, lanes.blocks(), kNormThreads, shared_bytes<V>(lanes), stream, lanes,
           static_cast<const T*>(x), parts);
  });
  return chunks;
}

int sum_gradients(const NormPoolProblem& p, const NormBackward& a, double* parts, DataType type, cudaStream_t stream) {
  int chunks = 0;
  dispatch_norm(p, type, is_aligned(a.x) && is_aligned(a.grad_y), [&](auto t, auto v, auto w) {
    using T = decltype(t);
    using F = Arithmetic<T>;
    constexpr int V = decltype(v)::kValue, W = decltype(w)::kValue;
    const Lanes lanes(p, V, p.outputs(), kMostChunks);
    chunks = lanes.chunks();
    launch(gradient_kernel<T, V, W>, lanes.blocks(), kNormThreads, shared_bytes<V>(lanes), stream, NormShape(p), lanes,
           static_cast<const T*>(a.x), static_cast<const T*>(a.grad_y), static_cast<const F*>(a.weight),
           static_cast<const F*>(a.bias), a.mean, a.invstd, parts);
  });
  return chunks;
}

void finish_statistics(const NormPoolProblem& p, const NormSettings& settings, const NormForward& a,
                       const NormSpace& space, int chunks, DataType type, cudaStream_t stream) {
  const auto count = static_cast<double>(p.pixels());
  const auto run = [&](auto t) {
    using T = decltype(t);
    using F = Arithmetic<T>;
    launch(finish_statistics_kernel<T>, p.channels, kFinishThreads, kFinishShared, stream, settings, count, chunks,
           static_cast<const T*>(a.x), space.parts, static_cast<const F*>(a.weight), static_cast<const F*>(a.bias),
           static_cast<F*>(a.running_mean), static_cast<F*>(a.running_var), a.mean, a.invstd,
           static_cast<F*>(space.coefficients), static_cast<int>(p.channels));
  };
  if (type == DataType::float64)
    run(double{});
  else if (type == DataType::float32)
    run(float{});
  else
    run(bf16{});
}

void finish_gradients(const NormPoolProblem& p, bool training, const NormBackward& a, const NormSpace& space,
                      int chunks, DataType type, cudaStream_t stream) {
  const double count = p.pixels() > 0 ? static_cast<double>(p.pixels()) : 1;
  const auto run = [&](auto f) {
    using F = decltype(f);
    launch(finish_gradients_kernel<F>, p.channels, kFinishThreads, kFinishShared, stream, training, count, chunks,
           space.parts, static_cast<const F*>(a.weight), static_cast<const F*>(a.bias), a.mean, a.invstd,
           static_cast<F*>(a.grad_weight), static_cast<F*>(a.grad_bias), static_cast<F*>(space.coefficients),
           static_cast<int>(p.channels));
  };
  if (type == DataType::float64)
    run(double{});
  else
    run(float{});
}

}  // namespace scdcf::ops::cuda
