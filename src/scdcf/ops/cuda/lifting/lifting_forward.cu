#include "scdcf/ops/cuda/lifting/lifting_passes.cuh"

namespace scdcf::ops::cuda {
namespace {

using namespace lifting;

/// The matrix as right operands of the mix, for each channel, group of modes and sixteen output channels. Result column
/// 2 q + i of product j is channel 4 q + 2 j + i, so that a lane has four neighbours; operand row q is mode 2 q of the
/// group, row q + 4 mode 2 q + 1.
template <bool exact>
__device__ void load_mixing(const DeviceProblem& p, const LiftingPlan& f, const float* matrix) {
  auto* to = reinterpret_cast<float*>(shared_memory() + f.mixing_at);
  const int count = p.in_channels * f.groups * f.wide_tiles * 128;
  for (int i = threadIdx.x; i < count; i += kLiftingThreads) {
    const int r = i % 4, n = i / 16 % 8, q = i / 4 % 4;
    int rest = i / 128;
    const int o = take_digit(rest, f.wide_tiles) * 16 + n / 2 * 4 + r / 2 * 2 + n % 2;
    const int mode = take_digit(rest, f.groups) * 8 + q * 2 + r % 2, c = rest;
    const bool there = mode < p.mode_count && o < p.out_channels;
    to[i] = there ? operand<exact>(matrix[(f.k[mode] * p.in_channels + c) * p.out_channels + o]) : 0.0f;
  }
}

/// Four neighbouring channels, of which `left` are there.
template <class T>
__device__ void store_channels(T* at, const float (&x)[4], int left, bool wide) {
  if (wide && left > 0) {
    if constexpr (sizeof(T) == 2)
      *reinterpret_cast<uint2*>(at) = make_uint2(pack_bf16(x[0], x[1]), pack_bf16(x[2], x[3]));
    else
      *reinterpret_cast<float4*>(at) = make_float4(x[0], x[1], x[2], x[3]);
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (i < left) {
      if constexpr (sizeof(T) == 2)
        at[i] = __float2bfloat16(x[i]);
      else
        at[i] = x[i];
    }
}

/// The column pass and the mix of sixteen lines and two columns a warp. `most`: groups of modes of all channels.
template <class T, bool exact, int most>
__device__ void mix_columns(const DeviceProblem& p, const LiftingPlan& f, const Tile& t, T* plane) {
  const auto* lines = reinterpret_cast<const float*>(shared_memory() + f.lines_at);
  const int lane = threadIdx.x % 32, pairs = (t.xs + 1) / 2, items = (t.ys + 15) / 16 * pairs;
  const auto* bank = reinterpret_cast<const float2*>(shared_memory() + f.column_at) + lane;
  const auto* mixing = reinterpret_cast<const float4*>(shared_memory() + f.mixing_at) + lane;
  const bool wide = p.out_channels % 4 == 0;
#pragma unroll 1
  for (int item = threadIdx.x / 32; item < items; item += kLiftingThreads / 32) {
    const int y = item / pairs * 16, x[2] = {item % pairs * 2, min(item % pairs * 2 + 1, t.xs - 1)};
    uint32_t z[most][2][4];
    int c = 0, g = 0;
#pragma unroll
    for (int i = 0; i < most; ++i) {
      if (i >= f.groups * p.in_channels) break;
      float d[2][4] = {};
      for (int b = f.first[g]; b <= f.last[g]; ++b) {
        const float* from = lines + (c * f.factors + b) * f.plane + ((y + lane / 4) * p.stride + lane % 4) * f.pitch;
        for_steps<2>({from + x[0], from + x[1]}, f.pitch, p.stride, bank + (f.parts[g] + b - f.first[g]) * f.steps * 32,
                     t.steps, [&](int n, const uint32_t(&a)[4], const float2& w) {
                       multiply_float<exact>(d[n], a, float_to_bits(w.x), float_to_bits(w.y));
                     });
      }
#pragma unroll
      for (int n = 0; n < 2; ++n)
#pragma unroll
        for (int r = 0; r < 4; ++r) z[i][n][r] = float_to_bits(operand<exact>(d[n][r % 2 * 2 + r / 2]));
      if (++g == f.groups) g = 0, ++c;
    }
    for (int o = 0; o < f.wide_tiles; ++o) {
      float d[2][2][4] = {};
#pragma unroll
      for (int i = 0; i < most; ++i) {
        if (i >= f.groups * p.in_channels) break;
        const float4 w = mixing[(i * f.wide_tiles + o) * 32];
#pragma unroll
        for (int n = 0; n < 2; ++n) {
          multiply_float<exact>(d[n][0], z[i][n], float_to_bits(w.x), float_to_bits(w.y));
          multiply_float<exact>(d[n][1], z[i][n], float_to_bits(w.z), float_to_bits(w.w));
        }
      }
      const int channel = o * 16 + lane % 4 * 4;
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int line = y + lane / 4 + r * 8;
        if (line >= t.ys) continue;
        T* to = plane + (int64_t(t.y0 + line) * p.out_width + t.x0) * p.out_channels + channel;
#pragma unroll
        for (int n = 0; n < 2; ++n) {
          const float sums[4] = {d[n][0][r * 2], d[n][0][r * 2 + 1], d[n][1][r * 2], d[n][1][r * 2 + 1]};
          store_channels(to + x[n] * p.out_channels, sums, p.out_channels - channel, wide);
        }
      }
    }
  }
}

/// A block has one image and scale, and some columns of all its lines.
template <class T, bool exact, int most>
__global__ void __launch_bounds__(kLiftingThreads, most == 1   ? 3
                                                   : most <= 4 ? 2
                                                               : 1)
    forward_kernel(const __grid_constant__ DeviceProblem p, const __grid_constant__ LiftingPlan f, const T* in,
                   const float* factors, const float* mixing, T* out) {
  int rest = static_cast<int>(blockIdx.x);
  const int x_tile = take_digit(rest, f.x_tiles), scale = take_digit(rest, p.scale_count), image = rest;
  const int matrix = p.sources[p.scales[scale].source_begin].mixing;
  load_factors<exact, false>(p, f, Tile(p, f, image, scale, x_tile, 0), factors);
  load_mixing<exact>(p, f, mixing + int64_t(matrix) * p.mode_count * p.in_channels * p.out_channels);
  T* plane = out + (int64_t(image) * p.scale_count + scale) * p.out_height * p.out_width * p.out_channels;
  for (int y_tile = 0; y_tile < f.y_tiles; ++y_tile) {
    const Tile t(p, f, image, scale, x_tile, y_tile);
    load_patch<T, exact>(p, f, t, in);  // the last row pass has done with it: see the barrier after it
    sync_block();
    row_pass<exact>(p, f, t);
    sync_block();
    mix_columns<T, exact, most>(p, f, t, plane);
    if (y_tile + 1 < f.y_tiles) sync_block();  // before the next row pass writes lines
  }
}

template <class T, bool exact>
void run(const DeviceProblem& p, const LiftingPlan& f, const void* in, const float* factors, const float* mixing,
         void* out, cudaStream_t stream) {
  const auto go = [&](auto kernel) {
    launch(kernel, int64_t(p.batch) * p.scale_count * f.x_tiles, kLiftingThreads, f.shared_bytes, stream, p, f,
           static_cast<const T*>(in), factors, mixing, static_cast<T*>(out));
  };
  const int groups = f.groups * p.in_channels;
  if (groups == 1)
    go(forward_kernel<T, exact, 1>);
  else if (groups <= 3)
    go(forward_kernel<T, exact, 3>);
  else
    go(forward_kernel<T, exact, kMostForwardGroups>);
}

}  // namespace

void lifting_forward(const DeviceProblem& p, const LiftingPlan& f, const void* in, const float* factors,
                     const float* mixing, void* out, DataType type, Precision precision, cudaStream_t stream) {
  if (type == DataType::bfloat16)
    run<bf16, false>(p, f, in, factors, mixing, out, stream);
  else if (precision == Precision::tf32)
    run<float, false>(p, f, in, factors, mixing, out, stream);
  else
    run<float, true>(p, f, in, factors, mixing, out, stream);
}

}  // namespace scdcf::ops::cuda
