#include "scdcf/ops/cuda/chained/chained_passes.cuh"

namespace scdcf::ops::cuda {
namespace {

constexpr int kTiles = 2;  // row tiles of a warp

/// Where an item of work finds in shared memory what it multiplies.
struct Item {
  int lines_at, lines, second_at, matrix_at;
};

/// Tile q and channels w of the block.
__device__ inline Item item_of(const ChainedPlan& f, int q, int w) {
  const TileLines lines = tile_lines(f)[q];
  return {f.lines_at + lines.begin * f.pitch, lines.count, f.second_at + q * f.second_fragments() * kFragment,
          f.matrix_at + w * f.matrix_bytes()};
}

__device__ inline int team_of_warp(const ChainedPlan& f) { return static_cast<int>(threadIdx.x) / 32 / f.team_warps; }
/// The first of a warp's row tiles of the second pass.
__device__ inline int tile_of_warp(const ChainedPlan& f) {
  return static_cast<int>(threadIdx.x) / 32 % f.team_warps * kTiles;
}

/// Sends 16 channels of the block's part of a mixing matrix to shared memory.
__device__ inline void copy_matrix(const ChainedPlan& f, const char* from, int wides) {
  const int bytes = f.matrix_bytes();
  int matrix_at = f.matrix_at;
  for (int w = 0; w < wides; ++w, matrix_at += bytes, from += int64_t(f.chunks) * bytes)
    for (int i = threadIdx.x * 16; i < bytes; i += blockDim.x * 16)
      copy_async(shared_memory() + matrix_at + i, from + i);
}

/// acc += Z * mixing of one stage and 16 channels. count: steps of 16 lines, 0: any number.
template <class T, int parts, int wide, int count>
__device__ void mix_steps(const ChainedPlan& f, float (&acc)[kTiles][wide / 8][4], const Item& item) {
  constexpr int kept = count > 0 ? count : 1, kWords = parts * wide / 16;
  const int tile0 = tile_of_warp(f), steps = count > 0 ? count : (item.lines + 15) / 16;
  const auto* factors = reinterpret_cast<const uint4*>(shared_memory() + item.second_at) + threadIdx.x % 32;
  const LineRows line_rows(f, item.lines, item.lines_at);
  uint32_t rows[kTiles][kept];
#pragma unroll
  for (int i = 0; i < kTiles * kept; ++i) rows[i / kept][i % kept] = line_rows.at(tile0 + i / kept, i % kept);
  const auto* matrix = reinterpret_cast<const uint4*>(shared_memory() + item.matrix_at) + threadIdx.x % 32;
  int first = f.mode_first[0];
#pragma unroll 1
  for (int second = 0; second < f.second.modes; ++second) {
    const uint4* factor = factors + second * f.second_steps * parts * 32;
    uint32_t a[kept][parts][4];
    if constexpr (count > 0)
#pragma unroll
      for (int step = 0; step < kept; ++step) load_factor<parts>(factor + step * parts * 32, a[step]);
#pragma unroll 1
    for (int mode = f.mode_begin[second]; mode < f.mode_begin[second + 1]; ++mode) {
      const int plane = first * parts * f.plane;
      first = f.mode_first[mode + 1];  // ahead of its use
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
__device__ void mix(const ChainedPlan& f, float (&acc)[kTiles][wide / 8][4], const Item& item) {
  const int steps = f.steps_of(item.lines, f.second_bits);
  if (steps == 1) return mix_steps<T, parts, wide, 1>(f, acc, item);
  if (steps == 2) return mix_steps<T, parts, wide, 2>(f, acc, item);
  if (steps == 3) return mix_steps<T, parts, wide, 3>(f, acc, item);
  mix_steps<T, parts, wide, 0>(f, acc, item);
}

__device__ inline void store_pair(float* at, float x, float y) { *reinterpret_cast<float2*>(at) = make_float2(x, y); }
__device__ inline void store_pair(bf16* at, float x, float y) { *reinterpret_cast<uint32_t*>(at) = pack_bf16(x, y); }

/// target: the plane's first pixel of the tile, in the group's first image.
template <class T, int wide>
__device__ void store(const ChainedPlan& f, const float (&acc)[kTiles][wide / 8][4], float scale, int images, int rows,
                      int channel0, T* target) {
  const int lane = threadIdx.x % 32, bits = f.second_bits, row_step = f.q_step * f.target_channels;
  const auto* places = reinterpret_cast<const TilePosition*>(shared_memory() + f.places_at) + (tile_of_warp(f) << bits);
  const int left = f.target_channels - channel0;
  const bool whole =
      left >= wide && f.target_channels % 2 == 0 && reinterpret_cast<uintptr_t>(target) % (2 * sizeof(T)) == 0;
  target += channel0 + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < kTiles * 2; ++i) {
    const int row = lane / 4 + i % 2 * 8, q = row & ((16 >> bits) - 1);
    const TilePosition place = places[(i / 2 << bits) + (row >> (4 - bits))];
    if (place.image >= images || q >= rows) continue;
    T* to = target + (place.target + q * row_step);
    const float(&sums)[wide / 8][4] = acc[i / 2];
    if (whole) {
#pragma unroll
      for (int tile = 0; tile < wide / 8; ++tile)
        store_pair(to + tile * 8, sums[tile][i % 2 * 2] * scale, sums[tile][i % 2 * 2 + 1] * scale);
    } else {
#pragma unroll
      for (int tile = 0; tile < wide / 8; ++tile)
#pragma unroll
        for (int j = 0; j < 2; ++j)
          if (tile * 8 + lane % 4 * 2 + j < left) to[tile * 8 + j] = T(sums[tile][i % 2 * 2 + j] * scale);
    }
  }
}

/// What a block does, in shared memory: in registers it would stand in the way of the sums.
struct Block {
  int wide0, wides, q_tile0, q_tiles, p_tile, plane, group0, group_end, first_stage, last_stage;
  float source_scale, unscale;
};
static_assert(sizeof(Block) <= kBlockBytes, "room in shared memory");

__device__ inline const volatile Block& block_of(const ChainedPlan& f) {
  return *reinterpret_cast<const volatile Block*>(shared_memory() + f.block_at);
}

__device__ inline void fill_block(const ChainedPlan& f, bool forward, const Magnitudes* magnitudes) {
  int rest = static_cast<int>(blockIdx.x);
  Block b;
  b.wide0 = take_digit(rest, f.wide_blocks) * f.block_wides, b.group0 = take_digit(rest, f.runs) * f.run;
  b.p_tile = take_digit(rest, f.first.tiles), b.q_tile0 = take_digit(rest, f.q_runs) * f.q_run;
  b.wides = min(f.block_wides, f.wides - b.wide0), b.q_tiles = f.tiles_of_run(b.q_tile0);
  b.group_end = min(b.group0 + f.run, f.groups), b.plane = f.order[rest];
  b.first_stage = f.stage_begin[b.plane], b.last_stage = f.stage_begin[b.plane + 1] - 1;
  const Scales scales = scales_of(forward, f.border_bits, magnitudes);
  b.source_scale = scales.source;
  b.unscale = 1.0f / scales.source / scales.first / scales.second / scales.mixing;
  if (threadIdx.x == 0) *reinterpret_cast<Block*>(shared_memory() + f.block_at) = b;
  fill_places(f, b.p_tile);
}

/// A round of lines: a group of images, a stage and 16 channels.
struct Round {
  int group, stage, chunk;
};

/// Lines and mixing matrix of a round, to shared memory.
template <class T, int parts>
__device__ inline void make_round(const ChainedPlan& f, const Round& r, int& scale, const T* source, const uint4* bank,
                                  int64_t first_total, const uint4* packed) {
  const volatile Block& b = block_of(f);
  const Stage stage = f.stages[r.stage];
  if (stage.scale != scale) {
    scale = stage.scale;
    copy_factors(f, bank, first_total, scale, b.p_tile, b.q_tile0);
    sync_block();
  }
  const int radius = f.radius[stage.scale], image0 = r.group * f.images, images = min(f.images, f.batch - image0);
  LineSource<T> lines;
  lines.start(f, source, stage.source_plane, f.first.reach(radius, b.p_tile), f.lines_of(radius, b.q_tile0));
  if (r.chunk == 0 && r.group + 1 < f.groups)
    for (int i = 0; i < min(f.images, f.batch - image0 - f.images); ++i) lines.fetch(f, image0 + f.images + i);
  const bool kept =
      b.first_stage == b.last_stage && f.chunks == 1 && r.group > b.group0;  // the matrix is there already
  if (!kept)
    copy_matrix(f,
                reinterpret_cast<const char*>(packed) +
                    ((int64_t(stage.mixing) * f.wides + b.wide0) * f.chunks + r.chunk) * f.matrix_bytes(),
                b.wides);
  make_lines<T, parts>(FirstPass<T>(f, lines, image0, images, r.chunk, b.source_scale));
}

template <class T, int parts, int wide>
__global__ void __launch_bounds__(kChainedWarps * 32 / parts, 1)
    chained_kernel(const __grid_constant__ ChainedPlan f, int forward, const T* source, const uint4* bank,
                   int64_t first_total, const uint4* packed, const Magnitudes* magnitudes, T* target) {
  fill_block(f, forward, magnitudes);
  sync_block();
  const volatile Block& b = block_of(f);
  int scale = -1;
  float acc[kTiles][wide / 8][4];
  Round r{b.group0, b.first_stage, 0};
#pragma unroll 1
  for (;;) {
    const bool empty = b.first_stage > b.last_stage;  // nothing comes in: zeros go out
    sync_block();
    if (!empty) {
      make_round<T, parts>(f, r, scale, source, bank, first_total, packed);
      wait_copies();
      sync_block();
    }
#pragma unroll 1
    for (int i = team_of_warp(f); i < b.q_tiles * b.wides; i += f.teams) {
      if (r.stage == b.first_stage && r.chunk == 0)
#pragma unroll
        for (int j = 0; j < kTiles * wide / 2; ++j) acc[j / (wide / 2)][j / 4 % (wide / 8)][j % 4] = 0;
      const int wides = b.wides, q = i / wides, w = i - q * wides;
      if (!empty) mix<T, parts, wide>(f, acc, item_of(f, q, w));
      if (!empty && (r.stage < b.last_stage || r.chunk + 1 < f.chunks)) continue;
      const LineSpan qs = f.second.targets_of(b.q_tile0 + q);
      const int image0 = r.group * f.images;
      store<T, wide>(
          f, acc, b.unscale, min(f.images, f.batch - image0), qs.count, (b.wide0 + w) * wide,
          target + ((int64_t(image0) * f.target_planes + b.plane) * f.target_pixels + int64_t(qs.begin) * f.q_step) *
                       f.target_channels);
    }
    if (!empty && ++r.chunk < f.chunks) continue;
    r.chunk = 0;
    if (++r.stage <= b.last_stage) continue;
    r.stage = b.first_stage;
    if (++r.group >= b.group_end) break;
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
    launch(chained_kernel<T, decltype(numbers)::parts, decltype(wide)::value>, f.blocks(), f.warps() * 32,
           f.shared_bytes, stream, f, int(forward), static_cast<const T*>(source), bank, f.first_bank(p.scale_count, 0),
           packed, sizes, static_cast<T*>(target));
  });
}

}  // namespace scdcf::ops::cuda
