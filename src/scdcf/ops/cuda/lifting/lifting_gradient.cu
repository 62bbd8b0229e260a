#include "scdcf/ops/cuda/lifting/lifting_passes.cuh"

namespace scdcf::ops::cuda {
namespace {

using namespace lifting;

/// Neighbouring channels as they come from memory: made numbers where they are needed, so that nobody waits for them
/// before.
template <class T, int count>
struct Channels {
  static constexpr int kWords = count * static_cast<int>(sizeof(T)) / 4;
  uint32_t word[kWords] = {};
  /// `left` of them are there; whole: all of them or none, and aligned.
  __device__ void load(const T* at, int left, bool whole) {
    if (left <= 0) return;
    if (whole) {
      const auto* from = reinterpret_cast<const uint32_t*>(at);
      if constexpr (kWords == 4) {
        const uint4 x = *reinterpret_cast<const uint4*>(from);
        word[0] = x.x, word[1] = x.y, word[2] = x.z, word[3] = x.w;
      } else if constexpr (kWords == 2) {
        const uint2 x = *reinterpret_cast<const uint2*>(from);
        word[0] = x.x, word[1] = x.y;
      } else {
        word[0] = *from;
      }
      return;
    }
#pragma unroll
    for (int i = 0; i < count; ++i)
      if (i < left) {
        const uint32_t bits = float_to_bits(to_float(at[i]));
        if constexpr (sizeof(T) == 4)
          word[i] = bits;
        else
          word[i / 2] |= i % 2 ? bits : bits >> 16;
      }
  }
  __device__ float number(int i) const {
    if constexpr (sizeof(T) == 4) return bits_to_float(word[i]);
    return bits_to_float(i % 2 ? word[i / 2] & 0xffff0000u : word[i / 2] << 16);
  }
};

/// Adds Z * grad_out of a tile: the column pass, transposed, of sixteen lines and some columns a warp, then `products`
/// products with grad_out straight from memory. Column n of product j is channel products * n + j, so that a lane reads
/// neighbours; operand row q is line 2 q of eight, row q + 4 line 2 q + 1.
template <class T, bool exact, int most, int products>
__device__ void add_tile(const DeviceProblem& p, const LiftingPlan& f, const Tile& t, const T* grad_out, int out0,
                         bool whole, float (&sums)[most][products][4]) {
  constexpr int kColumns = products == 2 ? 2 : 1;
  const auto* lines = reinterpret_cast<const float*>(shared_memory() + f.lines_at);
  const int lane = threadIdx.x % 32, strips = (t.xs + kColumns - 1) / kColumns, items = (t.ys + 15) / 16 * strips;
  const auto* bank = reinterpret_cast<const float4*>(shared_memory() + f.column_at) + lane;
  const int first = out0 + lane / 4 * products;
  const T* plane = grad_out +
                   ((int64_t(t.image) * p.scale_count + t.scale) * p.out_height * p.out_width + t.x0) * p.out_channels +
                   first;
#pragma unroll 1
  for (int item = threadIdx.x / 32; item < items; item += kLiftingThreads / 32) {
    const int y = item / strips * 16, x0 = item % strips * kColumns;
    Channels<T, products> right[kColumns][2][2];  // eight lines, and whether even or odd
#pragma unroll
    for (int n = 0; n < kColumns; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int line = y + i / 2 * 8 + lane % 4 * 2 + i % 2, x = x0 + n;
        if (line < t.ys && x < t.xs)
          right[n][i / 2][i % 2].load(plane + (int64_t(t.y0 + line) * p.out_width + x) * p.out_channels,
                                      p.out_channels - first, whole);
      }
    int c = 0, g = 0;
#pragma unroll
    for (int i = 0; i < most; ++i) {
      if (i >= f.groups * p.in_channels) break;
      float z[kColumns][2][4] = {};
      for (int b = f.first[g]; b <= f.last[g]; ++b) {
        const float* from = lines + (c * f.factors + b) * f.plane + ((y + lane / 4) * p.stride + lane % 4) * f.pitch;
        const float* columns[kColumns];
#pragma unroll
        for (int n = 0; n < kColumns; ++n) columns[n] = from + min(x0 + n, t.xs - 1);
        for_steps(
            columns, f.pitch, p.stride, bank + (f.parts[g] + b - f.first[g]) * f.steps * 32, t.steps,
            [&](int n, const uint32_t(&a)[4], const float4& w) {
              const uint32_t left[4] = {float_to_bits(w.x), float_to_bits(w.y), float_to_bits(w.z), float_to_bits(w.w)};
              multiply_float<exact>(z[n][0], left, a[0], a[2]);
              multiply_float<exact>(z[n][1], left, a[1], a[3]);
            });
      }
#pragma unroll
      for (int n = 0; n < kColumns; ++n)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          uint32_t left[4];
#pragma unroll
          for (int r = 0; r < 4; ++r) left[r] = float_to_bits(operand<exact>(z[n][half][r % 2 * 2 + r / 2]));
#pragma unroll
          for (int j = 0; j < products; ++j)
            multiply_float<exact>(sums[i][j], left, float_to_bits(operand<exact>(right[n][half][0].number(j))),
                                  float_to_bits(operand<exact>(right[n][half][1].number(j))));
        }
      if (++g == f.groups) g = 0, ++c;
    }
  }
}

template <class T, bool exact, int most, int products>
__global__ void __launch_bounds__(kLiftingThreads, most == 1 ? 2 : 1)
    gradient_kernel(const __grid_constant__ DeviceProblem p, const __grid_constant__ LiftingPlan f, const T* in,
                    const float* factors, const T* grad_out, float* partial) {
  const int out0 = blockIdx.x % f.wide_tiles * f.wide, slice = blockIdx.x / f.wide_tiles;
  int mixing = 0;
  while (f.slice_begin[mixing + 1] <= slice) ++mixing;
  const int per_scale = p.batch * f.x_tiles * f.y_tiles, slices = f.slice_begin[mixing + 1] - f.slice_begin[mixing],
            mine = slice - f.slice_begin[mixing];
  const int64_t units = int64_t(per_scale) * (f.pair_begin[mixing + 1] - f.pair_begin[mixing]);
  const int begin = int(units * mine / slices), end = int(units * (mine + 1) / slices);
  const bool whole =
      p.out_channels % products == 0 && reinterpret_cast<uintptr_t>(grad_out) % (products * sizeof(T)) == 0;
  float sums[most][products][4] = {};
  int loaded = -1;
  for (int unit = begin; unit < end; ++unit) {
    const int scale = f.pair_scale[f.pair_begin[mixing] + unit / per_scale];
    int rest = unit % per_scale;
    const int x_tile = take_digit(rest, f.x_tiles), y_tile = take_digit(rest, f.y_tiles);
    const Tile t(p, f, rest, scale, x_tile, y_tile);
    sync_block();
    if (scale != loaded) load_factors<exact, true>(p, f, t, factors);
    loaded = scale;
    load_patch<T, exact>(p, f, t, in);
    sync_block();
    row_pass<exact>(p, f, t);
    sync_block();
    add_tile<T, exact, most, products>(p, f, t, grad_out, out0, whole, sums);
  }
  sync_block();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, count = static_cast<int>(f.slice_floats(p.in_channels));
  auto* all = reinterpret_cast<float*>(shared_memory());
#pragma unroll
  for (int i = 0; i < most; ++i) {
    if (i >= f.groups * p.in_channels) break;
#pragma unroll
    for (int j = 0; j < products; ++j)
#pragma unroll
      for (int r = 0; r < 4; ++r)
        all[warp * count + (i * 16 + lane / 4 + r / 2 * 8) * f.wide + (lane % 4 * 2 + r % 2) * products + j] =
            sums[i][j][r];
  }
  sync_block();
  for (int i = threadIdx.x; i < count; i += kLiftingThreads) {
    float sum = 0;
    for (int w = 0; w < kLiftingThreads / 32; ++w) sum += all[w * count + i];
    partial[int64_t(blockIdx.x) * count + i] = sum;
  }
}

constexpr int kReduceWide = 32, kReduceParts = 16;

/// A block adds up 32 neighbouring sums over all slices: a warp takes every 16th slice, then the warps' sums are added.
__global__ void reduce_kernel(const __grid_constant__ LiftingPlan f, int modes, int channels, int out_channels,
                              const float* partial, float* grad_mixing, int64_t count) {
  const int lane = threadIdx.x % kReduceWide, part = threadIdx.x / kReduceWide;
  const int64_t index = int64_t(blockIdx.x) * kReduceWide + lane;
  auto* sums = reinterpret_cast<float*>(shared_memory());
  float sum = 0;
  if (index < count) {
    int64_t rest = index;
    const int o = take_digit(rest, out_channels), c = take_digit(rest, channels), k = take_digit(rest, modes),
              j = static_cast<int>(rest);
    int number = 0;
    while (f.k[number] != k) ++number;
    const int row = c * f.groups * 16 + number;
    const int64_t slice_size = int64_t(channels) * f.groups * 16 * f.wide;
    const float* from = partial + o / f.wide * slice_size + row * f.wide + o % f.wide;
#pragma unroll 8
    for (int s = f.slice_begin[j] + part; s < f.slice_begin[j + 1]; s += kReduceParts)
      sum += from[s * f.wide_tiles * slice_size];
  }
  sums[threadIdx.x] = sum;
  sync_block();
  if (part > 0 || index >= count) return;
  for (int i = 1; i < kReduceParts; ++i) sum += sums[i * kReduceWide + lane];
  grad_mixing[index] = sum;
}

template <class T, bool exact>
void run(const DeviceProblem& p, const LiftingPlan& f, const void* in, const float* factors, const void* grad_out,
         float* partial, cudaStream_t stream) {
  const auto go = [&](auto kernel) {
    launch(kernel, int64_t(f.slices) * f.wide_tiles, kLiftingThreads, f.shared_bytes, stream, p, f,
           static_cast<const T*>(in), factors, static_cast<const T*>(grad_out), partial);
  };
  const bool one = f.groups * p.in_channels == 1;
  if (f.wide == 16)
    go(one ? gradient_kernel<T, exact, 1, 2> : gradient_kernel<T, exact, kMostGradientGroups, 2>);
  else
    go(one ? gradient_kernel<T, exact, 1, 4> : gradient_kernel<T, exact, kMostGradientGroups, 4>);
}

}  // namespace

void lifting_grad_mixing(const DeviceProblem& p, const LiftingPlan& f, const void* in, const float* factors,
                         const void* grad_out, float* partial, float* grad_mixing, DataType type, Precision precision,
                         cudaStream_t stream) {
  if (type == DataType::bfloat16)
    run<bf16, false>(p, f, in, factors, grad_out, partial, stream);
  else if (precision == Precision::tf32)
    run<float, false>(p, f, in, factors, grad_out, partial, stream);
  else
    run<float, true>(p, f, in, factors, grad_out, partial, stream);
  const int64_t count = int64_t(p.mixings) * p.mode_count * p.in_channels * p.out_channels;
  launch(reduce_kernel, divide_up(count, kReduceWide), kReduceWide * kReduceParts,
         kReduceWide * kReduceParts * sizeof(float), stream, f, p.mode_count, p.in_channels, p.out_channels,
         static_cast<const float*>(partial), grad_mixing, count);
}

}  // namespace scdcf::ops::cuda
