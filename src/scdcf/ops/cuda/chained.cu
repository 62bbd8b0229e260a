#include "scdcf/ops/cuda/chained_passes.cuh"

namespace scdcf::ops::cuda {
namespace {

constexpr int kTiles = 2;  // row tiles of a warp

/// Sends 16 channels of a mixing matrix to shared memory.
__device__ inline void copy_matrix(const ChainedPlan& f, const char* from) {
  char* to = shared_memory() + f.matrix_at;
  for (int i = threadIdx.x * 16; i < f.matrix_bytes(); i += blockDim.x * 16) copy_async(to + i, from + i);
}

/// acc += Z * mixing of one stage and 16 channels. count: steps of 16 lines, 0: any number.
template <class T, int parts, int wide, int count>
__device__ void mix_steps(const ChainedPlan& f, float (&acc)[kTiles][wide / 8][4], int lines) {
  constexpr int kept = count > 0 ? count : 1, kWords = parts * wide / 16;
  const int tile0 = threadIdx.x / 32 * kTiles, steps = count > 0 ? count : (lines + 15) / 16;
  const auto* factors = reinterpret_cast<const uint4*>(shared_memory() + f.second_at) + threadIdx.x % 32;
  const LineRows line_rows(f, lines);
  uint32_t rows[kTiles][kept];
#pragma unroll
  for (int i = 0; i < kTiles * kept; ++i) rows[i / kept][i % kept] = line_rows.at(tile0 + i / kept, i % kept);
  const auto* matrix = reinterpret_cast<const uint4*>(shared_memory() + f.matrix_at) + threadIdx.x % 32;
#pragma unroll 1
  for (int second = 0; second < f.second.modes; ++second) {
    const uint4* factor = factors + second * f.second_steps * parts * 32;
    uint32_t a[kept][parts][4];
    if constexpr (count > 0)
#pragma unroll
      for (int step = 0; step < kept; ++step) load_factor<parts>(factor + step * parts * 32, a[step]);
#pragma unroll 1
    for (int mode = f.mode_begin[second]; mode < f.mode_begin[second + 1]; ++mode) {
      const int plane = f.mode_first[mode] * parts * f.plane;
      float z[kTiles][2][4] = {};
      const auto pass = [&](int t, uint32_t row, const uint32_t(&left)[parts][4]) {
        uint32_t r[parts][4], right[2][parts][2];
        load_lines<parts>(f, row + plane, r);
#pragma unroll
        for (int i = 0; i < parts * 4; ++i) right[i % 4 / 2][i / 4][i % 2] = r[i / 4][i % 4];
        multiply_operands<T, parts>(z[t][0], left, right[0]);
        multiply_operands<T, parts>(z[t][1], left, right[1]);
      };
      if constexpr (count > 0) {
#pragma unroll
        for (int i = 0; i < kTiles * kept; ++i) pass(i % kTiles, rows[i % kTiles][i / kTiles], a[i / kTiles]);
      } else {
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
          load_factor<parts>(factor + step * parts * 32, a[0]);
#pragma unroll
          for (int t = 0; t < kTiles; ++t) pass(t, line_rows.at(tile0 + t, step), a[0]);
        }
      }
      uint32_t left[kTiles][parts][4];
#pragma unroll
      for (int t = 0; t < kTiles; ++t) sums_to_operand<T, parts>(z[t], left[t]);
#pragma unroll
      for (int i = 0; i < wide / 16; ++i) {
        uint32_t right[2][parts][2];
#pragma unroll
        for (int part = 0; part < parts; ++part) {
          const uint4 w = matrix[(part * (wide / 16) + i) * 32];
          right[0][part][0] = w.x, right[0][part][1] = w.y, right[1][part][0] = w.z, right[1][part][1] = w.w;
        }
#pragma unroll
        for (int t = 0; t < kTiles; ++t) {
          multiply_operands<T, parts>(acc[t][2 * i], left[t], right[0]);
          multiply_operands<T, parts>(acc[t][2 * i + 1], left[t], right[1]);
        }
      }
      matrix += kWords * 32;
    }
  }
}

template <class T, int parts, int wide>
__device__ void mix(const ChainedPlan& f, float (&acc)[kTiles][wide / 8][4], int lines) {
  const int steps = f.steps_of(lines, f.second_bits);
  if (steps == 1) return mix_steps<T, parts, wide, 1>(f, acc, lines);
  if (steps == 2) return mix_steps<T, parts, wide, 2>(f, acc, lines);
  if (steps == 3) return mix_steps<T, parts, wide, 3>(f, acc, lines);
  mix_steps<T, parts, wide, 0>(f, acc, lines);
}

__device__ inline void store_pair(float* at, float x, float y) { *reinterpret_cast<float2*>(at) = make_float2(x, y); }
__device__ inline void store_pair(bf16* at, float x, float y) { *reinterpret_cast<uint32_t*>(at) = pack_bf16(x, y); }

/// target: the plane's first pixel of the tile, in the group's first image.
template <class T, int wide>
__device__ void store(const ChainedPlan& f, const float (&acc)[kTiles][wide / 8][4], float scale, int images, int rows,
                      int channel0, T* target, bool pairs) {
  const int lane = threadIdx.x % 32, bits = f.second_bits, row_step = f.q_step * f.target_channels;
  const auto* places =
      reinterpret_cast<const TilePosition*>(shared_memory() + f.places_at) + (threadIdx.x / 32 * kTiles << bits);
  channel0 += lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < kTiles * 2; ++i) {
    const int row = lane / 4 + i % 2 * 8, q = row & ((16 >> bits) - 1);
    const TilePosition place = places[(i / 2 << bits) + (row >> (4 - bits))];
    if (place.image >= images || q >= rows) continue;
    T* to = target + (place.target + q * row_step + channel0);
#pragma unroll
    for (int tile = 0; tile < wide / 8; ++tile) {
      const int left = f.target_channels - channel0 - tile * 8;
      const float x = acc[i / 2][tile][i % 2 * 2] * scale, y = acc[i / 2][tile][i % 2 * 2 + 1] * scale;
      if (pairs) {
        if (left > 0) store_pair(to + tile * 8, x, y);
      } else {
        if (left > 0) to[tile * 8] = T(x);
        if (left > 1) to[tile * 8 + 1] = T(y);
      }
    }
  }
}

template <class T, int parts, int wide>
__global__ void __launch_bounds__(kChainedWarps * 32, parts == 2 ? 1 : 2)
    chained_kernel(const __grid_constant__ ChainedPlan f, int forward, const T* source, const uint4* bank,
                   int64_t first_total, const uint4* packed, const Magnitudes* magnitudes, T* target) {
  int rest = static_cast<int>(blockIdx.x);
  const int wide_index = take_digit(rest, f.wides), group0 = take_digit(rest, f.runs) * f.run;
  const int p_tile = take_digit(rest, f.first.tiles), q_tile = take_digit(rest, f.second.tiles);
  const int plane = f.order[rest];
  const Scales scales = scales_of(f, forward, magnitudes);
  const float unscale = 1.0f / scales.source / scales.first / scales.second / scales.mixing;
  const LineSpan qs = f.second.targets_of(q_tile);
  const bool pairs = f.target_channels % 2 == 0 && reinterpret_cast<uintptr_t>(target) % (2 * sizeof(T)) == 0;
  const int64_t target_step = int64_t(f.target_planes) * f.target_pixels * f.target_channels;
  target += (int64_t(plane) * f.target_pixels + int64_t(qs.begin) * f.q_step) * f.target_channels;
  fill_places(f, p_tile);
  const int first_stage = f.stage_begin[plane], last_stage = f.stage_begin[plane + 1] - 1;
  int scale = -1;
  LineSource<T> stage_source;
  const char* matrix = nullptr;
#pragma unroll 1
  for (int group = group0; group < min(group0 + f.run, f.groups); ++group) {
    const int image0 = group * f.images, images = min(f.images, f.batch - image0);
    float acc[kTiles][wide / 8][4] = {};
#pragma unroll 1
    for (int s = first_stage; s <= last_stage; ++s) {
      if (group == group0 || first_stage != last_stage) {
        const Stage stage = f.stages[s];
        if (stage.scale != scale) {
          scale = stage.scale;
          sync_block();
          copy_factors(f, bank, first_total, scale, p_tile, q_tile);
        }
        const LineSpan us = f.first.reach(f.radius[scale], p_tile), vs = f.second.reach(f.radius[scale], q_tile);
        stage_source.start(f, source, stage.source_plane, us, vs);
        matrix = reinterpret_cast<const char*>(packed) +
                 (int64_t(stage.mixing) * f.wides + wide_index) * f.chunks * f.matrix_bytes();
      }
      if (group + 1 < f.groups)
        for (int i = 0; i < min(f.images, f.batch - image0 - f.images); ++i)
          stage_source.fetch(f, image0 + f.images + i);
#pragma unroll 1
      for (int chunk = 0; chunk < f.chunks; ++chunk) {
        sync_block();
        const bool kept = first_stage == last_stage && f.chunks == 1 && group > group0;  // the matrix is there already
        if (!kept) copy_matrix(f, matrix + int64_t(chunk) * f.matrix_bytes());
        make_lines<T, parts>(FirstPass<T>(f, stage_source, image0, images, chunk, scales.source));
        wait_copies();
        sync_block();
        mix<T, parts, wide>(f, acc, stage_source.lines);
      }
    }
    if (first_stage > last_stage) sync_block();  // for the places
    store<T, wide>(f, acc, unscale, images, qs.count, wide_index * wide, target + image0 * target_step, pairs);
  }
}

}  // namespace

void run_chained(const DeviceProblem& p, const ChainedPlan& f, bool forward, const void* source, const float* factors,
                 const float* mixing, void* target, uint4* bank, uint4* packed, const Magnitudes* magnitudes,
                 DataType type, cudaStream_t stream) {
  const Magnitudes* sizes = type == DataType::bfloat16 ? nullptr : magnitudes;
  build_chained_operands(p, f, forward, f.wide, f.wides, factors, mixing, bank, packed, sizes, type, stream);
  visit_numbers(type, f.parts, f.wide, [&](auto numbers, auto wide) {
    using T = typename decltype(numbers)::T;
    launch(chained_kernel<T, decltype(numbers)::parts, decltype(wide)::value>, f.blocks(), f.warps * 32, f.shared_bytes,
           stream, f, int(forward), static_cast<const T*>(source), bank, f.first_bank(p.scale_count, 0), packed, sizes,
           static_cast<T*>(target));
  });
}

}  // namespace scdcf::ops::cuda
