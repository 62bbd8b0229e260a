#include "scdcf/ops/cuda/chained/chained_passes.cuh"

namespace scdcf::ops::cuda {
namespace {

/// What a block does: 16 channels, target channels, modes, and units [begin, end) of one mixing matrix.
struct Task : SlicePart {
  int chunk, wide, mode_group;
};

__device__ Task task_of(const ChainedGradientPlan& f, int block) {
  Task t;
  int rest = block;
  t.mode_group = take_digit(rest, f.mode_groups);
  t.wide = take_digit(rest, f.wides);
  t.chunk = take_digit(rest, f.chunks);
  static_cast<SlicePart&>(t) = f.part(rest, f.units_per_pair());
  return t;
}

/// Eight neighbouring numbers of grad_out as operands; those that do not exist are zero.
template <class T, int parts>
__device__ inline void load_eight(const T* from, int count, bool whole, float scale, uint4 (&to)[parts]) {
  float x[8] = {};
  if (whole && count >= 8) {
    if constexpr (sizeof(T) == 2) {
      to[0] = *reinterpret_cast<const uint4*>(from);
      return;
    } else {
      const float4 low = reinterpret_cast<const float4*>(from)[0], high = reinterpret_cast<const float4*>(from)[1];
      x[0] = low.x, x[1] = low.y, x[2] = low.z, x[3] = low.w, x[4] = high.x, x[5] = high.y, x[6] = high.z,
      x[7] = high.w;
    }
  } else {
#pragma unroll
    for (int i = 0; i < 8; ++i)
      if (i < count) x[i] = to_float(from[i]);
  }
  uint32_t words[4][parts];
#pragma unroll
  for (int i = 0; i < 4; ++i) split_operands<T, parts>(x[2 * i] * scale, x[2 * i + 1] * scale, words[i]);
#pragma unroll
  for (int part = 0; part < parts; ++part)
    to[part] = make_uint4(words[0][part], words[1][part], words[2][part], words[3][part]);
}

/// grad[part][tile q][row tile][row][channel] in shared memory: the tiles' pixels in the order of the rows of Z. from:
/// the scale's first pixel, in the group's first image, first channel.
template <class T, int parts, int wide>
__device__ void load_grad(const ChainedGradientPlan& f, const T* from, int images, int q_tile0, int channels,
                          float scale) {
  constexpr int kPieces = wide / 8;
  const int bits = f.second_bits, row_step = f.q_step * f.target_channels;
  const bool whole = f.target_channels % 8 == 0 && reinterpret_cast<uintptr_t>(from) % 16 == 0;
  const int tiles = f.grad_tiles(), all = f.tiles_of_run(q_tile0) * tiles;
  const auto* places = reinterpret_cast<const TilePosition*>(shared_memory() + f.places_at);
#pragma unroll 4
  for (int i = threadIdx.x; i < all * 16 * kPieces; i += blockDim.x) {
    const int piece = i % kPieces, row = i / kPieces % 16, q_and_tile = i / kPieces / 16;
    const int q_tile = f.q_run == 1 ? 0 : q_and_tile / tiles, tile = q_and_tile - q_tile * tiles;
    const int in_tile = row & ((16 >> bits) - 1), q = (q_tile0 + q_tile) * f.second.tile + in_tile;
    const TilePosition place = places[(tile << bits) + (row >> (4 - bits))];
    uint4 words[parts];
#pragma unroll
    for (int part = 0; part < parts; ++part) words[part] = make_uint4(0, 0, 0, 0);
    if (place.image < images && in_tile < f.second.tile && q < f.second.size() && piece * 8 < channels)
      load_eight<T, parts>(from + (place.target + q * row_step + piece * 8), channels - piece * 8, whole, scale, words);
    char* to = shared_memory() + f.grad_at + q_and_tile * f.grad_tile + row * f.grad_pitch + piece * 16;
#pragma unroll
    for (int part = 0; part < parts; ++part)
      *reinterpret_cast<uint4*>(to + part * f.q_run * tiles * f.grad_tile) = words[part];
  }
}

/// acc[c][o] += Z^T * grad of tile q, for this warp's mode, two row tiles at a time. count: steps of 16 lines, 0: any
/// number.
template <class T, int parts, int wide, int count>
__device__ void add_steps(const ChainedGradientPlan& f, float (&acc)[wide / 8][4], int mode, int second, int q,
                          const TileLines& lines) {
  constexpr int kept = count > 0 ? count : 1, kTiles = 2;
  const int lane = threadIdx.x % 32, plane = f.mode_first[mode] * parts * f.plane;
  const int steps = count > 0 ? count : (lines.count + 15) / 16, tiles = f.grad_tiles();
  const auto* factors =
      reinterpret_cast<const uint4*>(shared_memory() + f.second_at) + q * f.second_fragments() * 32 + lane;
  const auto factor = [&](int step, uint32_t(&right)[2][parts][2]) {
#pragma unroll
    for (int part = 0; part < parts; ++part) {
      const uint4 w = factors[((second * f.second_steps + step) * parts + part) * 32];
      right[0][part][0] = w.x, right[0][part][1] = w.z, right[1][part][0] = w.y, right[1][part][1] = w.w;
    }
  };
  uint32_t right[kept][2][parts][2];
  if constexpr (count > 0)
#pragma unroll
    for (int step = 0; step < kept; ++step) factor(step, right[step]);
  const LineRows line_rows(f, lines.count, f.lines_at + lines.begin * f.pitch);
  uint32_t grad = shared_at(shared_memory()) + f.grad_at + q * tiles * f.grad_tile +
                  (lane / 8 % 2 * 8 + lane % 8) * f.grad_pitch + lane / 16 * 16;
#pragma unroll 1
  for (int tile = 0; tile < tiles; tile += kTiles) {
    float z[kTiles][2][4] = {};
    const auto pass = [&](int t, int step, const uint32_t(&by)[2][parts][2]) {
      uint32_t r[parts][4], left[parts][4];
      load_lines<parts>(f, line_rows.at(tile + t, step) + plane, r);
#pragma unroll
      for (int part = 0; part < parts; ++part)
        left[part][0] = r[part][0], left[part][1] = r[part][2], left[part][2] = r[part][1], left[part][3] = r[part][3];
      multiply_operands<T, parts>(z[t][0], left, by[0]);
      multiply_operands<T, parts>(z[t][1], left, by[1]);
    };
    if constexpr (count > 0) {
#pragma unroll
      for (int i = 0; i < kTiles * kept; ++i) pass(i % kTiles, i / kTiles, right[i / kTiles]);
    } else {
#pragma unroll 1
      for (int step = 0; step < steps; ++step) {
        factor(step, right[0]);
        pass(0, step, right[0]), pass(1, step, right[0]);
      }
    }
#pragma unroll
    for (int t = 0; t < kTiles; ++t, grad += f.grad_tile) {
      uint32_t left[parts][4];
      sums_to_operand<T, parts>(z[t], left);
#pragma unroll
      for (int i = 0; i < wide / 16; ++i) {
        uint32_t numbers[2][parts][2];
#pragma unroll
        for (int part = 0; part < parts; ++part) {
          uint32_t r[4];
          load_transposed(r, grad + part * f.q_run * tiles * f.grad_tile + i * 32);
          numbers[0][part][0] = r[0], numbers[0][part][1] = r[1], numbers[1][part][0] = r[2],
          numbers[1][part][1] = r[3];
        }
        multiply_operands<T, parts>(acc[2 * i], left, numbers[0]);
        multiply_operands<T, parts>(acc[2 * i + 1], left, numbers[1]);
      }
    }
  }
}

template <class T, int parts, int wide>
__device__ void add_products(const ChainedGradientPlan& f, float (&acc)[wide / 8][4], int mode, int second, int q) {
  const TileLines lines = tile_lines(f)[q];
  const int steps = f.steps_of(lines.count, f.second_bits);
  if (steps == 1) return add_steps<T, parts, wide, 1>(f, acc, mode, second, q, lines);
  if (steps == 2) return add_steps<T, parts, wide, 2>(f, acc, mode, second, q, lines);
  if (steps == 3) return add_steps<T, parts, wide, 3>(f, acc, mode, second, q, lines);
  add_steps<T, parts, wide, 0>(f, acc, mode, second, q, lines);
}

/// most: warps.
template <class T, int parts, int wide, int most>
__global__ void __launch_bounds__(most * 32, 1)
    chained_gradient_kernel(const __grid_constant__ ChainedGradientPlan f, const T* in, const T* grad_out,
                            const uint4* bank, int64_t first_total, const Magnitudes* magnitudes, float* partial) {
  const Task task = task_of(f, static_cast<int>(blockIdx.x));
  const Scales scales = scales_of(true, f.border_bits, magnitudes);
  const int lane = threadIdx.x % 32, mode = task.mode_group * f.warps + threadIdx.x / 32;
  int second = 0;
  while (second + 1 < f.second.modes && f.mode_begin[second + 1] <= mode) ++second;
  float acc[wide / 8][4] = {};
  int bank_of = -1, q_tile0 = 0;  // pair and tiles whose factors are in shared memory
  LineSource<T> pair_source;
  const T* grad = nullptr;
  const int64_t grad_step = int64_t(f.target_planes) * f.target_pixels * f.target_channels;
#pragma unroll 1
  for (int unit = task.begin; unit < task.end; ++unit) {
    int rest = unit;
    const int image0 = take_digit(rest, f.groups) * f.images, images = min(f.images, f.batch - image0);
    sync_block();
    if (rest != bank_of) {
      bank_of = rest;
      const int p_tile = take_digit(rest, f.first.tiles);
      q_tile0 = take_digit(rest, f.q_runs) * f.q_run;
      const auto pair = f.pairs[task.pair0 + rest];
      const int radius = f.radius[pair.scale];
      copy_factors(f, bank, first_total, pair.scale, p_tile, q_tile0);
      fill_places(f, p_tile);
      pair_source.start(f, in, pair.plane, f.first.reach(radius, p_tile), f.lines_of(radius, q_tile0));
      grad = grad_out + int64_t(pair.scale) * f.target_pixels * f.target_channels + task.wide * wide;
      sync_block();
    }
    load_grad<T, parts, wide>(f, grad + image0 * grad_step, images, q_tile0, f.target_channels - task.wide * wide,
                              scales.grad);
    make_lines<T, parts>(FirstPass<T>(f, pair_source, image0, images, task.chunk, scales.source));
    sync_block();
    if (mode < f.mode_count)
#pragma unroll 1
      for (int q = 0; q < f.tiles_of_run(q_tile0); ++q) add_products<T, parts, wide>(f, acc, mode, second, q);
  }
  float* to =
      partial + int64_t(blockIdx.x) * f.block_sums() + (threadIdx.x / 32 * kChannels + lane / 4) * wide + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < wide / 8; ++i) {
    *reinterpret_cast<float2*>(to + i * 8) = make_float2(acc[i][0], acc[i][1]);
    *reinterpret_cast<float2*>(to + i * 8 + 8 * wide) = make_float2(acc[i][2], acc[i][3]);
  }
}

/// One thread for each number of the result: adds up the slices in a fixed order.
__global__ void add_slices_kernel(const __grid_constant__ ChainedGradientPlan f, const float* partial,
                                  const Magnitudes* magnitudes, float* grad_mixing, int64_t count) {
  const int64_t index = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= count) return;
  int64_t rest = index;
  const int o = take_digit(rest, f.target_channels);
  const int c = take_digit(rest, f.source_channels);
  const int mode = take_digit(rest, f.mode_count);
  const int mixing = static_cast<int>(rest);
  const int group = mode / f.warps, tile = ((c / kChannels) * f.wides + o / f.wide) * f.mode_groups + group;
  const int64_t at = ((mode - group * f.warps) * kChannels + c % kChannels) * f.wide + o % f.wide;
  float sum = 0;
#pragma unroll 8
  for (int s = f.slice_begin[mixing]; s < f.slice_begin[mixing + 1]; ++s)
    sum += partial[(int64_t(s) * f.tiles() + tile) * f.block_sums() + at];
  const Scales scales = scales_of(true, f.border_bits, magnitudes);
  const int64_t matrix = (int64_t(mixing) * f.mode_count + f.mode_index[mode]) * f.source_channels;
  grad_mixing[(matrix + c) * f.target_channels + o] = sum / scales.source / scales.first / scales.second / scales.grad;
}

}  // namespace

void run_chained_gradient(const DeviceProblem& p, const ChainedGradientPlan& f, const void* in, const float* factors,
                          const void* grad_out, float* grad_mixing, uint4* bank, float* partial,
                          const Magnitudes* magnitudes, DataType type, cudaStream_t stream) {
  const Magnitudes* sizes = type == DataType::bfloat16 ? nullptr : magnitudes;
  build_chained_operands(p, f, true, f.wide, f.wides, factors, nullptr, bank, nullptr, sizes, type, stream);
  visit_numbers<128>(type, f.parts, f.wide, [&](auto numbers, auto wide) {
    using T = typename decltype(numbers)::T;
    constexpr int parts = decltype(numbers)::parts, channels = decltype(wide)::value;
    constexpr int most = channels > 64 ? kFewGradientWarps : kGradientWarps;
    const auto kernel = f.warps <= kFewGradientWarps ? chained_gradient_kernel<T, parts, channels, kFewGradientWarps>
                                                     : chained_gradient_kernel<T, parts, channels, most>;
    launch(kernel, int64_t(f.slices) * f.tiles(), f.warps * 32, f.shared_bytes, stream, f, static_cast<const T*>(in),
           static_cast<const T*>(grad_out), bank, f.first_bank(p.scale_count, 0), sizes, partial);
  });
  const int64_t count = int64_t(p.mixings) * p.mode_count * p.in_channels * p.out_channels;
  launch(add_slices_kernel, divide_up(count, 256), 256, 0, stream, f, partial, sizes, grad_mixing, count);
}

}  // namespace scdcf::ops::cuda
