#include "scdcf/ops/cuda/fused.h"

#include "scdcf/ops/cuda/line_pass.cuh"

namespace scdcf::ops::cuda {
namespace {

/// What one block works on, and its shared memory.
struct Block {
  int plane, image0, images, p_tile, q_tile, wide;
  char* product;  // operand of the mix [first mode][pixel][chunk], then its result [second mode][pixel][wide]
  int* table;     // first pass row -> byte offset in product, or -1
  float2* sums;   // bf16 only, private to each thread: second-pass sums of earlier stages
};

__device__ Block make_block(const FusedPlan& f) {
  Block b;
  int rest = blockIdx.x;
  b.wide = take_digit(rest, f.wides);
  b.p_tile = take_digit(rest, f.first.tiles);
  b.q_tile = take_digit(rest, f.second.tiles);
  b.image0 = rest % f.groups * f.images;
  b.plane = f.order[rest / f.groups];
  b.images = min(f.images, f.batch - b.image0);
  b.product = shared_memory();
  b.table = reinterpret_cast<int*>(b.product + f.table_offset);
  b.sums = reinterpret_cast<float2*>(b.product + f.sum_offset);
  return b;
}

/// product[mode][pixel][channel] of one stage and chunk; pixel = ((image, p), line).
template <class T, bool exact>
__device__ void first_pass(const FusedPlan& f, const Block& b, const T* source, const Stage& stage,
                           const float4* factors, int chunk) {
  const int radius = f.radius[stage.scale], pitch = kChunk * int(sizeof(T)) + 16, channels = f.source_channels;
  const LineSpan us = f.first.reach(radius, b.p_tile), vs = f.second.reach(radius, b.q_tile);
  const int64_t image_step = int64_t(f.source_planes) * f.source_pixels * channels;
  const int64_t pixel =
      int64_t(stage.source_plane) * f.source_pixels + int64_t(us.begin) * f.u_step + int64_t(vs.begin) * f.v_step;
  const bool wide = channels % 4 == 0 && reinterpret_cast<uintptr_t>(source) % (4 * sizeof(T)) == 0;
  const Lines<T> lines{source + b.image0 * image_step + pixel * channels + chunk * kChunk,
                       image_step,
                       f.v_step * channels,
                       f.u_step * channels,
                       b.images,
                       vs.count,
                       us.count,
                       channels - chunk * kChunk,
                       wide};
  const PassOutput out{b.product, b.table, f.images, f.lines, f.first.tile * f.lines * pitch, pitch};
  line_pass<T, exact, 2>(lines, factors + f.first.at(stage.scale, b.p_tile, 0), f.first.row_tiles(), f.first.depth,
                         out);
}

/// acc += product * mixing of one stage and chunk. Each warp reads its own columns of the packed matrix from L2, one
/// step ahead of use; `modes` are the first modes that any of its columns mixes. Rows beyond the pixels hold anything.
template <class T, bool exact>
__device__ void mix(const FusedPlan& f, const Block& b, float (&acc)[kRowTiles][kColumnTiles][4], const uint4* packed,
                    uint32_t modes) {
  if (modes == 0) return;
  constexpr int steps = kChunk * sizeof(T) / 32, pitch = kChunk * sizeof(T) + 16;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warp_m = warp / f.warps_n,
            warp_n = warp - warp_m * f.warps_n;
  const int step_words = f.warps_n * (kColumnTiles / 2) * 32, mode_bytes = f.rows() * pitch;
  const uint4* matrix = packed + warp_n * (kColumnTiles / 2) * 32 + lane;
  const char* rows = b.product + (warp_m * kRowTiles * 16 + lane % 16) * pitch + lane / 16 * 16;
  int mode = lowest_bit(modes);
  const uint4* from = matrix + mode * steps * step_words;
  uint4 next0 = from[0], next1 = from[32];
  while (modes) {
    const char* at = rows + mode * mode_bytes;
    modes &= modes - 1;
    if (modes) mode = lowest_bit(modes);
    const uint4* following =
        matrix + mode * steps * step_words;  // the last turn fetches its own first step again, unused
#pragma unroll 2
    for (int step = 0; step < steps; ++step) {
      const uint32_t w[kColumnTiles][2] = {
          {next0.x, next0.y}, {next0.z, next0.w}, {next1.x, next1.y}, {next1.z, next1.w}};
      from = step + 1 < steps ? from + step_words : following;
      next0 = from[0], next1 = from[32];
      uint32_t a[2][4];
      load_matrices(a[0], at + step * 32);
#pragma unroll
      for (int i = 0; i < kRowTiles; ++i) {
        if (i + 1 < kRowTiles) load_matrices(a[(i + 1) % 2], at + step * 32 + (i + 1) * 16 * pitch);
#pragma unroll
        for (int j = 0; j < kColumnTiles; ++j) multiply<T, exact>(acc[i][j], a[i % 2], w[j][0], w[j][1]);
      }
    }
  }
}

/// The channel of a result row is XORed with this, so that four neighbouring rows lie in different banks. Period four.
__device__ inline int swizzle(int row, int wide) { return wide % 32 ? row / 2 % 2 * 8 : row % 4 * 8; }

/// Moves the accumulators to product as [second mode][pixel][wide] floats and clears them. Rows beyond the pixels
/// become zero: the second pass reads up to 7 of them with weight zero.
template <bool exact>
__device__ void spill(const FusedPlan& f, const Block& b, float (&acc)[kRowTiles][kColumnTiles][4]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warp_m = warp / f.warps_n,
            warp_n = warp - warp_m * f.warps_n;
  const int pixels = f.images * f.first.tile * f.lines, rows = f.result_rows, row0 = warp_m * kRowTiles * 16 + lane / 4;
  const int columns = f.second.modes * f.wide - warp_n * kColumnTiles * 8;  // of this warp; the rest is padding
  float* product = reinterpret_cast<float*>(b.product);
  float* out[kColumnTiles];
#pragma unroll
  for (int j = 0; j < kColumnTiles; ++j) {
    const int column = (warp_n * kColumnTiles + j) * 8, mode = column / f.wide, channel = column - mode * f.wide;
    out[j] = product + (mode * rows + row0) * f.wide + (channel ^ swizzle(row0, f.wide)) + lane % 4 * 2;
  }
#pragma unroll
  for (int i = 0; i < kRowTiles * 2; ++i) {
    const bool inside = row0 + i * 8 < pixels;
#pragma unroll
    for (int j = 0; j < kColumnTiles; ++j) {
      float* at = &acc[i / 2][j][i % 2 * 2];
      if (inside && j * 8 < columns)
        *reinterpret_cast<float2*>(out[j]) = make_float2(operand<exact>(at[0]), operand<exact>(at[1]));
      at[0] = at[1] = 0;
      out[j] += 8 * f.wide;
    }
  }
  const int beyond = (rows - pixels) * f.wide;
  for (int i = threadIdx.x; i < f.second.modes * beyond; i += blockDim.x) {
    const int mode = i / beyond;
    product[(mode * rows + pixels) * f.wide + i - mode * beyond] = 0;
  }
}

/// Two neighbouring channels of the result; even: both exist, in one aligned word.
template <bool even, class T>
__device__ float2 load_pair(const T* at, bool exists, bool two) {
  float2 value = make_float2(0, 0);
  if constexpr (even && sizeof(T) == 4) {
    if (exists) value = *reinterpret_cast<const float2*>(at);
  } else {
    if (exists) value.x = to_float(at[0]);
    if (exists && two) value.y = to_float(at[1]);
  }
  return value;
}

template <bool even, class T>
__device__ void store_pair(T* at, float x, float y, bool exists, bool two) {
  if constexpr (even && sizeof(T) == 2) {
    if (exists) *reinterpret_cast<uint32_t*>(at) = pack_bf16(x, y);
  } else if constexpr (even) {
    if (exists) *reinterpret_cast<float2*>(at) = make_float2(x, y);
  } else {
    if (exists) at[0] = T(x);
    if (exists && two) at[1] = T(y);
  }
}

/// target[q][p][o] (+)= sum over second modes and lines of second[q][mode, line] * product[mode][pixel][o].
/// Sums of earlier stages are fetched before the work: from the target itself, or (bf16) from `sums`.
template <class T, bool exact, bool even>
__device__ void second_pass(const FusedPlan& f, const Block& b, const float4* factors, T* target, bool first,
                            bool last) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, tp = f.first.tile, wide = f.wide;
  const int tiles = f.second.row_tiles(), tile_pairs = (tiles + 1) / 2, depth = f.second.depth,
            steps = f.second.steps();
  const int columns = wide / 16, units = f.images * tp * columns * tile_pairs;
  const LineSpan ps = f.first.targets_of(b.p_tile), qs = f.second.targets_of(b.q_tile);
  const int64_t half_step = int64_t(8) * f.q_step * f.target_channels;
  for (int turn = 0, unit = warp; unit < units; ++turn, unit += f.warps()) {
    const int rest = tile_pairs == 1 ? unit : unit / tile_pairs, tile = (unit - rest * tile_pairs) * 2,
              line = rest / columns, o = (rest - line * columns) * 16;
    const bool both = tile + 1 < tiles;
    const int row0 = line * f.lines + lane % 4, flip = swizzle(row0, wide);
    const float* in = reinterpret_cast<const float*>(b.product) + row0 * wide + lane / 4;
    const int left = o ^ flip, right = (o + 8) ^ flip;
    const int image = f.images == 1 ? 0 : line / tp, p = line - image * tp, q0 = tile * 16 + lane / 4;
    const int64_t pixel = (int64_t(b.image0 + image) * f.target_planes + b.plane) * f.target_pixels +
                          int64_t(ps.begin + p) * f.p_step + int64_t(qs.begin + q0) * f.q_step;
    const int channel = b.wide * wide + o + lane % 4 * 2, channels_left = f.target_channels - channel;
    T* to = target + pixel * f.target_channels + channel;
    const int rows_left = image < b.images && p < ps.count ? qs.count - q0 : 0;
    float2* sums = b.sums + turn * f.second_slots * blockDim.x + threadIdx.x;
    float d[2][2][4] = {};
    if (!first) {
#pragma unroll
      for (int r = 0; r < 8; ++r) {  // row tile, half of it, column tile
        if (r >= 4 && !both) continue;
        const int j = r % 2;
        float2 sum;
        if constexpr (sizeof(T) == 2)
          sum = sums[r * blockDim.x];
        else
          sum = load_pair<even>(to + r / 2 * half_step + j * 8, r / 2 * 8 < rows_left && j * 8 < channels_left,
                                j * 8 + 1 < channels_left);
        d[r / 4][j][r / 2 % 2 * 2] = sum.x, d[r / 4][j][r / 2 % 2 * 2 + 1] = sum.y;
      }
    }
    const float4* factor = factors + tile * steps * 32 + lane;
    const float* at = in;
    for (int mode = 0; mode < f.second.modes; ++mode, at += (f.result_rows - depth * 8) * wide)
#pragma unroll 2
      for (int kt = 0; kt < depth; ++kt, at += 8 * wide, factor += 32) {
        const uint32_t w[2][2] = {{float_to_bits(at[left]), float_to_bits(at[4 * wide + left])},
                                  {float_to_bits(at[right]), float_to_bits(at[4 * wide + right])}};
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          if (i == 1 && !both) continue;
          const float4 v = factor[i * steps * 32];
          const uint32_t a[4] = {float_to_bits(v.x), float_to_bits(v.y), float_to_bits(v.z), float_to_bits(v.w)};
          multiply_float<exact>(d[i][0], a, w[0][0], w[0][1]);
          multiply_float<exact>(d[i][1], a, w[1][0], w[1][1]);
        }
      }
#pragma unroll
    for (int r = 0; r < 8; ++r) {
      if (r >= 4 && !both) continue;
      const int j = r % 2;
      const float x = d[r / 4][j][r / 2 % 2 * 2], y = d[r / 4][j][r / 2 % 2 * 2 + 1];
      if (sizeof(T) == 2 && !last)
        sums[r * blockDim.x] = make_float2(x, y);
      else
        store_pair<even>(to + r / 2 * half_step + j * 8, x, y, r / 2 * 8 < rows_left && j * 8 < channels_left,
                         j * 8 + 1 < channels_left);
    }
  }
}

template <class T>
__device__ void write_zeros(const FusedPlan& f, const Block& b, T* target) {
  const LineSpan ps = f.first.targets_of(b.p_tile), qs = f.second.targets_of(b.q_tile);
  const int width = min(f.wide, f.target_channels - b.wide * f.wide), total = b.images * ps.count * qs.count * width;
  for (int i = threadIdx.x; i < total; i += blockDim.x) {
    const int c = i % width, q = i / width % qs.count, p = i / width / qs.count % ps.count,
              image = i / width / qs.count / ps.count;
    const int64_t pixel = (int64_t(b.image0 + image) * f.target_planes + b.plane) * f.target_pixels +
                          int64_t(ps.begin + p) * f.p_step + int64_t(qs.begin + q) * f.q_step;
    target[pixel * f.target_channels + b.wide * f.wide + c] = T(0.0f);
  }
}

template <class T, bool exact>
__global__ void __launch_bounds__(kFusedWarps * 32, 1)
    fused_kernel(const __grid_constant__ FusedPlan f, const T* source, const float4* first, const float4* second,
                 const uint4* packed, T* target) {
  const Block b = make_block(f);
  const int begin = f.stage_begin[b.plane], end = f.stage_begin[b.plane + 1];
  if (begin == end) {
    write_zeros(f, b, target);
    return;
  }
  constexpr int pitch = kChunk * sizeof(T) + 16;
  for (int i = threadIdx.x; i < f.first.row_tiles() * 16; i += blockDim.x) {
    const int mode = i / f.first.tile;
    b.table[i] = mode < f.first.modes ? (mode * f.rows() + (i - mode * f.first.tile) * f.lines) * pitch : -1;
  }
  uint32_t modes = 0;  // first modes that this warp's columns mix
  const int warp_n = threadIdx.x / 32 % f.warps_n;
  for (int j = 0; j < kColumnTiles; ++j) {
    const int g = (warp_n * kColumnTiles + j) * 8 / f.wide;
    if (g < f.second.modes) modes |= f.pairs[g];
  }
  const int matrix_size = f.first.modes * int(kChunk * sizeof(T) / 32) * f.warps_n * (kColumnTiles / 2) * 32;
  float acc[kRowTiles][kColumnTiles][4] = {};
  for (int s = begin; s < end; ++s) {
    const Stage& stage = f.stages[s];
    for (int chunk = 0; chunk < f.chunks; ++chunk) {
      sync_block();
      first_pass<T, exact>(f, b, source, stage, first, chunk);
      sync_block();
      mix<T, exact>(f, b, acc, packed + ((int64_t(stage.mixing) * f.wides + b.wide) * f.chunks + chunk) * matrix_size,
                    modes);
    }
    if (!f.flush_each && s + 1 < end) continue;
    const float4* factors = second + f.second.at(stage.scale, b.q_tile, 0);
    sync_block();
    spill<exact>(f, b, acc);
    sync_block();
    if (f.target_channels % 2 == 0)
      second_pass<T, exact, true>(f, b, factors, target, s == begin || !f.flush_each, s + 1 == end);
    else
      second_pass<T, exact, false>(f, b, factors, target, s == begin || !f.flush_each, s + 1 == end);
  }
}

template <class T, bool exact>
void run(const FusedPlan& plan, const void* source, const float4* first, const float4* second, const uint32_t* packed,
         void* target, cudaStream_t stream) {
  launch(fused_kernel<T, exact>, plan.blocks(), plan.warps() * 32, plan.shared_bytes, stream, plan,
         static_cast<const T*>(source), first, second, reinterpret_cast<const uint4*>(packed), static_cast<T*>(target));
}

}  // namespace

void run_fused(const FusedPlan& plan, const void* source, const float4* first, const float4* second,
               const uint32_t* packed, void* target, DataType type, Precision precision, cudaStream_t stream) {
  if (type == DataType::bfloat16)
    run<bf16, false>(plan, source, first, second, packed, target, stream);
  else if (precision == Precision::tf32)
    run<float, false>(plan, source, first, second, packed, target, stream);
  else
    run<float, true>(plan, source, first, second, packed, target, stream);
}

}  // namespace scdcf::ops::cuda
