#include "scdcf/ops/cuda/few_channels.h"

#include "scdcf/ops/cuda/line_pass.cuh"

namespace scdcf::ops::cuda {
namespace {

/// A tile of output pixels of one image and scale.
struct Tile {
  int image, scale, x0, xs, y0, ys;
};

__device__ Tile tile_of(const DeviceProblem& p, const FewPlan& f, int image, int scale, int tile) {
  const int x0 = tile % f.x_tiles * f.tx, y0 = tile / f.x_tiles * f.ty;
  return {image, scale, x0, min(f.tx, p.out_width - x0), y0, min(f.ty, p.out_height - y0)};
}

/// Factors of a scale as [tap][mode], modes padded with zeros to a multiple of 4.
__device__ void load_factors(const DeviceProblem& p, const FewPlan& f, int scale, const float* factors, char* shared) {
  const ScaleEntry e = p.scales[scale];
  const int taps = 2 * e.radius + 1;
  float* row = reinterpret_cast<float*>(shared + f.row_factors);
  for (int i = threadIdx.x; i < taps * f.row_group; i += kFewThreads) {
    const int mode = i % f.row_group;
    row[i] = mode < p.row_modes ? factors[e.row_offset + mode * taps + i / f.row_group] : 0.0f;
  }
  float* column = reinterpret_cast<float*>(shared + f.column_factors);
  for (int i = threadIdx.x; i < taps * f.column_group; i += kFewThreads) {
    const int mode = i % f.column_group;
    column[i] = mode < p.column_modes ? factors[e.column_offset + mode * taps + i / f.column_group] : 0.0f;
  }
}

/// patch[v][position][c]: the input that the tile reads, padding included.
template <class T>
__device__ void load_patch(const DeviceProblem& p, const FewPlan& f, const Tile& t, const T* in, char* shared) {
  const ScaleEntry e = p.scales[t.scale];
  const int us = (t.xs - 1) * p.stride + 2 * e.radius + 1, vs = (t.ys - 1) * p.stride + 2 * e.radius + 1,
            c_count = p.in_channels;
  const int u0 = t.x0 * p.stride + p.origin - e.radius, v0 = t.y0 * p.stride + p.origin - e.radius;
  const T* plane =
      in + (int64_t(t.image) * p.planes + p.sources[e.source_begin].plane) * p.in_height * p.in_width * c_count;
  float* patch = reinterpret_cast<float*>(shared + f.patch);
  for (int i = threadIdx.x; i < vs * us * c_count; i += kFewThreads) {
    const int row = i / c_count, c = i - row * c_count, v = row / us, u = row - v * us;
    const int from_v = min(max(v0 + v, 0), p.in_height - 1), from_u = min(max(u0 + u, 0), p.in_width - 1);
    const bool inside = p.replicate || (from_v == v0 + v && from_u == u0 + u);
    patch[(v * f.patch_width + u) * c_count + c] =
        inside ? to_float(plane[(int64_t(from_v) * p.in_width + from_u) * c_count + c]) : 0.0f;
  }
}

/// lines[c][row group][v][x][mode]: the row pass, four modes at a time.
__device__ void row_pass(const DeviceProblem& p, const FewPlan& f, const Tile& t, char* shared) {
  const int radius = p.scales[t.scale].radius, groups = f.row_group / 4, c_count = p.in_channels,
            vs = (t.ys - 1) * p.stride + 2 * radius + 1;
  const float4* row = reinterpret_cast<const float4*>(shared + f.row_factors);
  const float* patch = reinterpret_cast<const float*>(shared + f.patch);
  for (int c = 0; c < c_count; ++c)
    for (int group = 0; group < groups; ++group) {
      float4* lines = reinterpret_cast<float4*>(shared) + (c * groups + group) * f.lines * f.tx;
      for (int i = threadIdx.x; i < vs * t.xs; i += kFewThreads) {
        const int v = i / t.xs, x = i - v * t.xs;
        const float* from = patch + (v * f.patch_width + x * p.stride) * c_count + c;
        float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 4
        for (int d = 0; d <= 2 * radius; ++d) {
          const float value = from[d * c_count];
          const float4 w = row[d * groups + group];
          sum.x += w.x * value, sum.y += w.y * value, sum.z += w.z * value, sum.w += w.w * value;
        }
        lines[v * f.tx + x] = sum;
      }
    }
}

/// z[pixel][k * C + c]: the column pass, sixteen pairs of modes at a time. Depth and pixel padding become zero.
__device__ void column_pass(const DeviceProblem& p, const FewPlan& f, const Tile& t, char* shared) {
  const int radius = p.scales[t.scale].radius, row_groups = f.row_group / 4, column_groups = f.column_group / 4,
            c_count = p.in_channels;
  const int pixels = t.xs * t.ys;
  const float4* column = reinterpret_cast<const float4*>(shared + f.column_factors);
  float* z = reinterpret_cast<float*>(shared + f.z);
  for (int part = 0; part < c_count * row_groups * column_groups; ++part) {
    const int column_group = part % column_groups, row_group = part / column_groups % row_groups,
              c = part / column_groups / row_groups;
    const float4* lines = reinterpret_cast<const float4*>(shared) + (c * row_groups + row_group) * f.lines * f.tx;
    for (int pixel = threadIdx.x; pixel < pixels; pixel += kFewThreads) {
      const int y = pixel / t.xs, x = pixel - y * t.xs;
      const float4* from = lines + y * p.stride * f.tx + x;
      float4 sum[4];
      for (int a = 0; a < 4; ++a) sum[a] = make_float4(0, 0, 0, 0);
#pragma unroll 2
      for (int d = 0; d <= 2 * radius; ++d) {
        const float4 u = from[d * f.tx], w4 = column[d * column_groups + column_group];
        const float w[4] = {w4.x, w4.y, w4.z, w4.w};
#pragma unroll
        for (int a = 0; a < 4; ++a)
          sum[a].x += w[a] * u.x, sum[a].y += w[a] * u.y, sum[a].z += w[a] * u.z, sum[a].w += w[a] * u.w;
      }
      float* to = z + pixel * f.pitch + c;
#pragma unroll
      for (int a = 0; a < 4; ++a) {
        const float s[4] = {sum[a].x, sum[a].y, sum[a].z, sum[a].w};
#pragma unroll
        for (int b = 0; b < 4; ++b) {
          const int k = f.index[column_group * 4 + a][row_group * 4 + b];
          if (k >= 0) to[k * c_count] = s[b];
        }
      }
    }
  }
  const int used = p.mode_count * c_count, pad = f.depth - used, padded = round_up(pixels, 16);
  for (int i = threadIdx.x; i < padded * pad; i += kFewThreads) z[i / pad * f.pitch + used + i % pad] = 0;
  for (int i = threadIdx.x; i < (padded - pixels) * used; i += kFewThreads)
    z[(pixels + i / used) * f.pitch + i % used] = 0;
}

template <class T>
__device__ void store_channels(T* at, float x, float y, int left, bool even) {
  if constexpr (sizeof(T) == 2) {
    if (even && left > 1) {
      *reinterpret_cast<uint32_t*>(at) = pack_bf16(x, y);
      return;
    }
    if (left > 0) at[0] = __float2bfloat16(x);
    if (left > 1) at[1] = __float2bfloat16(y);
  } else {
    if (even && left > 1) {
      *reinterpret_cast<float2*>(at) = make_float2(x, y);
      return;
    }
    if (left > 0) at[0] = x;
    if (left > 1) at[1] = y;
  }
}

template <class T, bool exact>
__global__ void __launch_bounds__(kFewThreads)
    few_forward_kernel(const __grid_constant__ DeviceProblem p, const __grid_constant__ FewPlan f, const T* in,
                       const float* factors, const float* mixing, T* out) {
  char* shared = shared_memory();
  const int tile = blockIdx.x % f.tiles(), rest = blockIdx.x / f.tiles(), scale = rest % p.scale_count;
  const Tile t = tile_of(p, f, rest / p.scale_count, scale, tile);
  load_factors(p, f, scale, factors, shared);
  float* matrix = reinterpret_cast<float*>(shared + f.mixing);
  const int pitch = f.wide + 8, depth = p.mode_count * p.in_channels, o_count = p.out_channels;
  const float* m = mixing + int64_t(p.sources[p.scales[scale].source_begin].mixing) * depth * o_count;
  for (int i = threadIdx.x; i < f.depth * f.wide; i += kFewThreads) {
    const int k = i / f.wide, o = i - k * f.wide;
    matrix[k * pitch + o] = k < depth && o < o_count ? operand<exact>(m[k * o_count + o]) : 0.0f;
  }
  load_patch(p, f, t, in, shared);
  sync_block();
  row_pass(p, f, t, shared);
  sync_block();
  column_pass(p, f, t, shared);
  sync_block();
  const int lane = threadIdx.x % 32, pixels = t.xs * t.ys;
  const float* z = reinterpret_cast<const float*>(shared + f.z);
  const int64_t plane = (int64_t(t.image) * p.scale_count + scale) * p.out_height * p.out_width;
  for (int row0 = threadIdx.x / 32 * 16; row0 < pixels; row0 += kFewThreads / 32 * 16) {
    int64_t at[2];
    for (int half = 0; half < 2; ++half) {
      const int pixel = row0 + lane / 4 + half * 8, y = pixel / t.xs, x = pixel - y * t.xs;
      at[half] = pixel < pixels ? (plane + int64_t(t.y0 + y) * p.out_width + t.x0 + x) * o_count : -1;
    }
    for (int o = 0; o < f.wide; o += 32) {
      float d[4][4] = {};
      for (int k = 0; k < f.depth; k += 8) {
        uint32_t a[4];
        load_matrices(a, z + (row0 + lane % 16) * f.pitch + k + lane / 16 * 4);
        for (int i = 0; i < 4; ++i) a[i] = float_to_bits(operand<exact>(bits_to_float(a[i])));
        const float* w = matrix + (k + lane % 4) * pitch + o + lane / 4;
#pragma unroll
        for (int j = 0; j < 4; ++j)
          if (o + j * 8 < f.wide)
            multiply_float<exact>(d[j], a, float_to_bits(w[j * 8]), float_to_bits(w[4 * pitch + j * 8]));
      }
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int channel = o + j * 8 + lane % 4 * 2;
        if (at[0] >= 0) store_channels(out + at[0] + channel, d[j][0], d[j][1], o_count - channel, o_count % 2 == 0);
        if (at[1] >= 0) store_channels(out + at[1] + channel, d[j][2], d[j][3], o_count - channel, o_count % 2 == 0);
      }
    }
  }
}

template <class T, bool exact>
__global__ void __launch_bounds__(kFewThreads, 2)
    few_gradient_kernel(const __grid_constant__ DeviceProblem p, const __grid_constant__ FewPlan f, const T* in,
                        const float* factors, const T* grad_out, float* partial) {
  char* shared = shared_memory();
  const int out0 = blockIdx.x % f.wide_tiles * kFewWide, slice = blockIdx.x / f.wide_tiles;
  int mixing = 0;
  while (f.slice_begin[mixing + 1] <= slice) ++mixing;
  const int per_pair = p.batch * f.tiles(), slices = f.slice_begin[mixing + 1] - f.slice_begin[mixing],
            mine = slice - f.slice_begin[mixing];
  const int64_t units = int64_t(per_pair) * (f.pair_begin[mixing + 1] - f.pair_begin[mixing]);
  const int begin = int(units * mine / slices), end = int(units * (mine + 1) / slices);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float* z = reinterpret_cast<const float*>(shared + f.z);
  int* offsets = reinterpret_cast<int*>(shared + f.pixels);
  const int channels = p.out_channels - out0 - lane / 4 * 4;
  const bool wide = p.out_channels % 4 == 0 && reinterpret_cast<uintptr_t>(grad_out) % (4 * sizeof(T)) == 0;
  constexpr int row_tiles = kFewDepth / 16;
  float acc[row_tiles][4][4] = {};
  int loaded = -1;
  for (int unit = begin; unit < end; ++unit) {
    const int scale = f.pair_scale[f.pair_begin[mixing] + unit / per_pair], rest = unit % per_pair;
    const Tile t = tile_of(p, f, rest / f.tiles(), scale, rest % f.tiles());
    const int pixels = t.xs * t.ys, steps = round_up(pixels, 8) / 8;
    sync_block();
    if (scale != loaded) load_factors(p, f, scale, factors, shared);
    loaded = scale;
    load_patch(p, f, t, in, shared);
    for (int i = threadIdx.x; i < round_up(pixels, 16); i += kFewThreads)
      offsets[i] = i < pixels ? (t.y0 + i / t.xs) * p.out_width + t.x0 + i % t.xs : -1;
    sync_block();
    row_pass(p, f, t, shared);
    sync_block();
    column_pass(p, f, t, shared);
    sync_block();
    const T* plane = grad_out +
                     (int64_t(t.image) * p.scale_count + scale) * p.out_height * p.out_width * p.out_channels + out0 +
                     lane / 4 * 4;
#pragma unroll 2
    for (int step = warp; step < steps; step += kFewThreads / 32) {
      const int low = offsets[step * 8 + lane % 4], high = offsets[step * 8 + lane % 4 + 4];
      float left[4], right[4];  // column n of column tile j is channel 4 n + j: one load for four tiles
      const T* at_low = plane + int64_t(low) * p.out_channels;
      const T* at_high = plane + int64_t(high) * p.out_channels;
      if (wide)
        load_channels<true>(left, at_low, low >= 0, channels), load_channels<true>(right, at_high, high >= 0, channels);
      else
        load_channels<false>(left, at_low, low >= 0, channels),
            load_channels<false>(right, at_high, high >= 0, channels);
      uint32_t w[4][2];
#pragma unroll
      for (int j = 0; j < 4; ++j)
        w[j][0] = float_to_bits(operand<exact>(left[j])), w[j][1] = float_to_bits(operand<exact>(right[j]));
      const float* rows = z + (step * 8 + lane % 4) * f.pitch + lane / 4;
#pragma unroll
      for (int i = 0; i < row_tiles; ++i) {
        if (i * 16 >= f.depth) break;
        const float* from = rows + i * 16;
        const uint32_t a[4] = {float_to_bits(operand<exact>(from[0])), float_to_bits(operand<exact>(from[8])),
                               float_to_bits(operand<exact>(from[4 * f.pitch])),
                               float_to_bits(operand<exact>(from[4 * f.pitch + 8]))};
#pragma unroll
        for (int j = 0; j < 4; ++j) multiply_float<exact>(acc[i][j], a, w[j][0], w[j][1]);
      }
    }
  }
  float* sums = reinterpret_cast<float*>(shared + f.mixing);
#pragma unroll
  for (int i = 0; i < row_tiles; ++i) {
    if (i * 16 >= f.depth) break;
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 4; ++r)
        sums[(warp * f.depth + i * 16 + lane / 4 + r / 2 * 8) * kFewWide + (lane % 4 * 2 + r % 2) * 4 + j] =
            acc[i][j][r];
  }
  sync_block();
  for (int i = threadIdx.x; i < f.depth * kFewWide; i += kFewThreads) {
    float sum = 0;
    for (int w = 0; w < kFewThreads / 32; ++w) sum += sums[w * f.depth * kFewWide + i];
    partial[int64_t(blockIdx.x) * f.depth * kFewWide + i] = sum;
  }
}

constexpr int kReduceWide = 32, kReduceParts = 16;

/// A block adds up 32 neighbouring sums over all slices: a warp takes every 16th slice, then the warps' sums are added.
__global__ void few_reduce_kernel(const __grid_constant__ FewPlan f, int depth, int out_channels, const float* partial,
                                  float* grad_mixing, int64_t count) {
  const int lane = threadIdx.x % kReduceWide, part = threadIdx.x / kReduceWide;
  const int64_t index = int64_t(blockIdx.x) * kReduceWide + lane;
  float* sums = reinterpret_cast<float*>(shared_memory());
  float sum = 0;
  if (index < count) {
    const int o = index % out_channels, row = index / out_channels % depth;
    const int j = index / out_channels / depth;
    const float* from = partial + (int64_t(o / kFewWide) * f.depth + row) * kFewWide + o % kFewWide;
    const int64_t slice = int64_t(f.wide_tiles) * f.depth * kFewWide;
#pragma unroll 8
    for (int s = f.slice_begin[j] + part; s < f.slice_begin[j + 1]; s += kReduceParts) sum += from[s * slice];
  }
  sums[threadIdx.x] = sum;
  sync_block();
  if (part > 0 || index >= count) return;
  for (int i = 1; i < kReduceParts; ++i) sum += sums[i * kReduceWide + lane];
  grad_mixing[index] = sum;
}

template <class T, bool exact>
void run_forward(const DeviceProblem& p, const FewPlan& f, const void* in, const float* factors, const float* mixing,
                 void* out, cudaStream_t stream) {
  launch(few_forward_kernel<T, exact>, int64_t(p.batch) * p.scale_count * f.tiles(), kFewThreads, f.shared_bytes,
         stream, p, f, static_cast<const T*>(in), factors, mixing, static_cast<T*>(out));
}

template <class T, bool exact>
void run_gradient(const DeviceProblem& p, const FewPlan& f, const void* in, const float* factors, const void* grad_out,
                  float* partial, cudaStream_t stream) {
  launch(few_gradient_kernel<T, exact>, int64_t(f.slices) * f.wide_tiles, kFewThreads, f.shared_bytes, stream, p, f,
         static_cast<const T*>(in), factors, static_cast<const T*>(grad_out), partial);
}

}  // namespace

void few_forward(const DeviceProblem& p, const FewPlan& f, const void* in, const float* factors, const float* mixing,
                 void* out, DataType type, Precision precision, cudaStream_t stream) {
  if (type == DataType::bfloat16)
    run_forward<bf16, false>(p, f, in, factors, mixing, out, stream);
  else if (precision == Precision::tf32)
    run_forward<float, false>(p, f, in, factors, mixing, out, stream);
  else
    run_forward<float, true>(p, f, in, factors, mixing, out, stream);
}

void few_grad_mixing(const DeviceProblem& p, const FewPlan& f, const void* in, const float* factors,
                     const void* grad_out, float* partial, float* grad_mixing, DataType type, Precision precision,
                     cudaStream_t stream) {
  if (type == DataType::bfloat16)
    run_gradient<bf16, false>(p, f, in, factors, grad_out, partial, stream);
  else if (precision == Precision::tf32)
    run_gradient<float, false>(p, f, in, factors, grad_out, partial, stream);
  else
    run_gradient<float, true>(p, f, in, factors, grad_out, partial, stream);
  const int depth = p.mode_count * p.in_channels;
  const int64_t count = int64_t(p.mixings) * depth * p.out_channels;
  launch(few_reduce_kernel, divide_up(count, kReduceWide), kReduceWide * kReduceParts,
         kReduceWide * kReduceParts * sizeof(float), stream, f, depth, p.out_channels,
         static_cast<const float*>(partial), grad_mixing, count);
}

}  // namespace scdcf::ops::cuda
