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
  b.wide = rest % f.wides;
  rest /= f.wides;
  b.p_tile = rest % f.first.tiles;
  rest /= f.first.tiles;
  b.q_tile = rest % f.second.tiles;
  rest /= f.second.tiles;
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
  const Span us = f.first.reach(radius, b.p_tile), vs = f.second.reach(radius, b.q_tile);
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
  line_pass<T, exact, 1>(lines, factors + f.first.at(stage.scale, b.p_tile, 0), f.first.row_tiles(), f.first.depth,
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
#pragma unroll
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
  float* product = reinterpret_cast<float*>(b.product);
#pragma unroll
  for (int j = 0; j < kColumnTiles; ++j) {
    const int column = (warp_n * kColumnTiles + j) * 8, mode = column / f.wide, channel = column - mode * f.wide;
    float* out = product + (mode * rows + row0) * f.wide + (channel ^ swizzle(row0, f.wide)) + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < kRowTiles * 2; ++i) {
      float* at = &acc[i / 2][j][i % 2 * 2];
      if (mode < f.second.modes && row0 + i * 8 < pixels)
        *reinterpret_cast<float2*>(out + i * 8 * f.wide) = make_float2(operand<exact>(at[0]), operand<exact>(at[1]));
      at[0] = at[1] = 0;
    }
  }
  const int beyond = (rows - pixels) * f.wide;
  for (int i = threadIdx.x; i < f.second.modes * beyond; i += blockDim.x) {
    const int mode = i / beyond;
    product[(mode * rows + pixels) * f.wide + i - mode * beyond] = 0;
  }
}

/// Adds to (or sets, on the first stage) two neighbouring channels of the result.
template <class T>
__device__ void add_result(T* at, float2 value, float2* sum, bool exists, bool two, bool even, bool first, bool last) {
  if constexpr (sizeof(T) == 2) {
    if (!first) value.x += sum->x, value.y += sum->y;
    if (!last) {
      *sum = value;
      return;
    }
    if (!exists) return;
    if (even) {
      *reinterpret_cast<uint32_t*>(at) = pack_bf16(value.x, value.y);
      return;
    }
    at[0] = __float2bfloat16(value.x);
    if (two) at[1] = __float2bfloat16(value.y);
  } else {
    if (!exists) return;
    if (even) {
      float2* to = reinterpret_cast<float2*>(at);
      if (!first) value.x += to->x, value.y += to->y;
      *to = value;
      return;
    }
    at[0] = first ? value.x : at[0] + value.x;
    if (two) at[1] = first ? value.y : at[1] + value.y;
  }
}

/// target[q][p][o] (+)= sum over second modes and lines of second[q][mode, line] * product[mode][pixel][o].
template <class T, bool exact>
__device__ void second_pass(const FusedPlan& f, const Block& b, const float4* factors, T* target, bool first,
                            bool last) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, tp = f.first.tile, wide = f.wide;
  const int tiles = f.second.row_tiles(), tile_pairs = (tiles + 1) / 2, depth = f.second.depth,
            steps = f.second.steps();
  const int columns = wide / 16, units = f.images * tp * columns * tile_pairs;
  const Span ps = f.first.targets_of(b.p_tile), qs = f.second.targets_of(b.q_tile);
  const bool even = f.target_channels % 2 == 0;
  for (int turn = 0, unit = warp; unit < units; ++turn, unit += f.warps()) {
    const int rest = unit / tile_pairs, tile = (unit - rest * tile_pairs) * 2, line = rest / columns,
              o = (rest - line * columns) * 16;
    const bool both = tile + 1 < tiles;
    const int row0 = line * f.lines + lane % 4, flip = swizzle(row0, wide);
    const float* in = reinterpret_cast<const float*>(b.product) + row0 * wide + lane / 4;
    const int left = o ^ flip, right = (o + 8) ^ flip;
    float d[2][2][4] = {};
    for (int mode = 0; mode < f.second.modes; ++mode)
#pragma unroll 2
      for (int kt = 0; kt < depth; ++kt) {
        const float* at = in + (mode * f.result_rows + kt * 8) * wide;
        const uint32_t w[2][2] = {{float_to_bits(at[left]), float_to_bits(at[4 * wide + left])},
                                  {float_to_bits(at[right]), float_to_bits(at[4 * wide + right])}};
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          if (i == 1 && !both) continue;
          const float4 v = factors[((tile + i) * steps + mode * depth + kt) * 32 + lane];
          const uint32_t a[4] = {float_to_bits(v.x), float_to_bits(v.y), float_to_bits(v.z), float_to_bits(v.w)};
          multiply_float<exact>(d[i][0], a, w[0][0], w[0][1]);
          multiply_float<exact>(d[i][1], a, w[1][0], w[1][1]);
        }
      }
    const int image = line / tp, p = line - image * tp;
    const int64_t pixel0 = (int64_t(b.image0 + image) * f.target_planes + b.plane) * f.target_pixels +
                           int64_t(ps.begin + p) * f.p_step + int64_t(qs.begin) * f.q_step;
    const bool exists = image < b.images && p < ps.count;
#pragma unroll
    for (int r = 0; r < 8; ++r) {  // row tile, half of it, column tile
      if (r >= 4 && !both) continue;
      const int i = r / 4, low = r / 2 % 2, j = r % 2, q = (tile + i) * 16 + lane / 4 + low * 8;
      const int channel = b.wide * wide + o + j * 8 + lane % 4 * 2;
      add_result(target + (pixel0 + int64_t(q) * f.q_step) * f.target_channels + channel,
                 make_float2(d[i][j][low * 2], d[i][j][low * 2 + 1]),
                 b.sums + (turn * f.second_slots + r) * blockDim.x + threadIdx.x,
                 exists && q < qs.count && channel < f.target_channels, channel + 1 < f.target_channels, even, first,
                 last);
    }
  }
}

template <class T>
__device__ void write_zeros(const FusedPlan& f, const Block& b, T* target) {
  const Span ps = f.first.targets_of(b.p_tile), qs = f.second.targets_of(b.q_tile);
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
    second_pass<T, exact>(f, b, factors, target, s == begin || !f.flush_each, s + 1 == end);
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
