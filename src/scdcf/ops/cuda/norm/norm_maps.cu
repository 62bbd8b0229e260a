// The two passes that write maps: the result, and the gradient of the input.
#include "scdcf/ops/cuda/norm/norm_window.cuh"

namespace scdcf::ops::cuda {
namespace {

/// Blocks enough for several rounds on a large GPU, and then as many pixels per thread as that leaves: what a thread
/// reads once per channel is shared by them.
constexpr int64_t kMapBlocks = 2048, kMostSteps = 8;

int64_t map_blocks(const NormPoolProblem& p, int width, int64_t items) {
  const Lanes one(p, width, items, 0);
  const int64_t steps = (items + one.rows - 1) / one.rows, per_block = steps / kMapBlocks;
  return steps / (per_block < 1 ? 1 : per_block > kMostSteps ? kMostSteps : per_block) + 1;
}

template <class T, int V, int W>
__global__ void __launch_bounds__(kNormThreads)
    forward_kernel(const NormShape shape, const Lanes lanes, const T* __restrict__ x,
                   const Arithmetic<T>* __restrict__ coefficients, T* __restrict__ y) {
  using F = Arithmetic<T>;
  const Lane<V> lane(lanes);
  if (!lane.active) return;
  F centre[V], scale[V], shift[V], ground[V];
  load_pack<V>(coefficients + kCentre * shape.channels + lane.channel, centre);
  load_pack<V>(coefficients + kScale * shape.channels + lane.channel, scale);
  load_pack<V>(coefficients + kShift * shape.channels + lane.channel, shift);
  load_pack<V>(coefficients + kGround * shape.channels + lane.channel, ground);
#pragma unroll 2
  for (int item = lane.begin; item < lane.end; item += lanes.rows) {
    F sum[V] = {};
    const F share = visit_window<W, V>(shape, x, lane.channel, item, [&](const F(&values)[V]) {
#pragma unroll
      for (int i = 0; i < V; ++i) {
        const F z = (values[i] - centre[i]) * scale[i] + shift[i];
        sum[i] += z < F(0) ? F(0) : z;  // NaN stays
      }
    });
#pragma unroll
    for (int i = 0; i < V; ++i) sum[i] = sum[i] * share - ground[i];
    store_pack<V>(sum, y + int64_t(item) * shape.channels + lane.channel);
  }
}

template <class T, int V, int W>
__global__ void __launch_bounds__(kNormThreads)
    backward_kernel(const NormShape shape, const Lanes lanes, const T* __restrict__ x,
                    const Arithmetic<T>* __restrict__ coefficients, const T* __restrict__ grad_y,
                    T* __restrict__ grad_x) {
  using F = Arithmetic<T>;
  const Lane<V> lane(lanes);
  if (!lane.active) return;
  F centre[V], scale[V], shift[V], offset[V], slope[V];
  load_pack<V>(coefficients + kCentre * shape.channels + lane.channel, centre);
  load_pack<V>(coefficients + kScale * shape.channels + lane.channel, scale);
  load_pack<V>(coefficients + kShift * shape.channels + lane.channel, shift);
  load_pack<V>(coefficients + kOffset * shape.channels + lane.channel, offset);
  load_pack<V>(coefficients + kSlope * shape.channels + lane.channel, slope);
#pragma unroll 2
  for (int item = lane.begin; item < lane.end; item += lanes.rows) {
    const int64_t place = int64_t(item) * shape.channels + lane.channel;
    F values[V], grad[V];
    load_pack<V>(x + place, values);
    unpool<W, V>(shape, grad_y, lane.channel, item, grad);
#pragma unroll
    for (int i = 0; i < V; ++i) {
      const F d = values[i] - centre[i];
      const F through = d * scale[i] + shift[i] <= F(0) ? F(0) : grad[i] * scale[i];
      values[i] = through + (offset[i] + slope[i] * d);
    }
    store_pack<V>(values, grad_x + place);
  }
}

}  // namespace

void map_forward(const NormPoolProblem& p, const void* x, const void* coefficients, void* y, DataType type,
                 cudaStream_t stream) {
  dispatch_norm(p, type, is_aligned(x) && is_aligned(y), [&](auto t, auto v, auto w) {
    using T = decltype(t);
    constexpr int V = decltype(v)::kValue, W = decltype(w)::kValue;
    const Lanes lanes(p, V, p.outputs(), map_blocks(p, V, p.outputs()));
    launch(forward_kernel<T, V, W>, lanes.blocks(), kNormThreads, 0, stream, NormShape(p), lanes,
           static_cast<const T*>(x), static_cast<const Arithmetic<T>*>(coefficients), static_cast<T*>(y));
  });
}

void map_backward(const NormPoolProblem& p, const void* x, const void* coefficients, const void* grad_y, void* grad_x,
                  DataType type, cudaStream_t stream) {
  const bool aligned = is_aligned(x) && is_aligned(grad_y) && is_aligned(grad_x);
  dispatch_norm(p, type, aligned, [&](auto t, auto v, auto w) {
    using T = decltype(t);
    constexpr int V = decltype(v)::kValue, W = decltype(w)::kValue;
    const Lanes lanes(p, V, p.pixels(), map_blocks(p, V, p.pixels()));
    launch(backward_kernel<T, V, W>, lanes.blocks(), kNormThreads, 0, stream, NormShape(p), lanes,
           static_cast<const T*>(x), static_cast<const Arithmetic<T>*>(coefficients), static_cast<const T*>(grad_y),
           static_cast<T*>(grad_x));
  });
}

}  // namespace scdcf::ops::cuda
