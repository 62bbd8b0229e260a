#include "scdcf/ops/cuda/fused.h"
#include "scdcf/ops/cuda/result_pass.cuh"

namespace scdcf::ops::cuda {
namespace {

template <class T, int shape>
struct Chain {
  static constexpr int kRows = kChainedShapes[shape].row_tiles, kColumns = kChainedShapes[shape].column_tiles,
                       kStack = kChainedShapes[shape].stack, kDepth = kChainedShapes[shape].depth,
                       kSteps = kStack * kDepth, kWords = kRows * kSteps * 2;  // of lines, per lane and step of the mix
  static constexpr int kHalves = 4 / sizeof(T);  // channels in a word: first-pass products that make one operand
  using Sums = float[kRows][kColumns][4];
  using Data = uint32_t[kRows][kSteps][2];
  using Operand = uint32_t[kRows][4];
};

/// Starts the copies of one step of the mix after the other: the mixing matrices of all modes, which the block shares,
/// and of the lines what this lane itself will read.
template <class T, int shape>
class Feed {
  using C = Chain<T, shape>;

 public:
  __device__ Feed(const ChainedPlan& c, const T* source, const uint4* packed)
      : c_(c), source_(source), packed_(packed), walk_(c.blocks) {}

  /// Commits a group in any case.
  __device__ void start_next() {
    while (stage_ == end_ && walk_.unit < c_.work) enter_unit();
    if (stage_ < end_) {
      if (step_ == 0) enter_stage();
      copy_matrices();
      copy_lines();
      matrix_slot_ = matrix_slot_ + 1 == kMatrixRing ? 0 : matrix_slot_ + 1, line_slot_ ^= 1;
      if (++step_ == c_.walk.chunks) step_ = 0, ++stage_;
    }
    commit_copies();
  }

 private:
  __device__ void enter_unit() {
    b_ = make_chained_block(c_, walk_.unit);
    walk_.advance();
    stage_ = c_.walk.stage_begin[b_.plane], end_ = c_.walk.stage_begin[b_.plane + 1];
  }

  __device__ void enter_stage() {
    const FusedPlan& f = c_.walk;
    const Stage& stage = f.stages[stage_];
    const int radius = f.radius[stage.scale], channels = f.source_channels;
    const Span us = f.first.reach(radius, b_.p_tile), vs = f.second.reach(radius, 0);
    const int64_t pixel = int64_t(us.begin) * f.u_step + int64_t(vs.begin) * f.v_step +
                          (int64_t(b_.image0) * f.source_planes + stage.source_plane) * f.source_pixels;
    plane_ = source_ + pixel * channels;
    matrices_ = packed_ + (int64_t(stage.mixing) * f.wides + b_.wide) * f.chunks * (c_.matrix_words / 4);
    const int image_step = f.source_planes * f.source_pixels * channels;
#pragma unroll
    for (int i = 0; i < C::kRows * C::kStack; ++i) {
      const int slot = threadIdx.x / 32 * (C::kRows * C::kStack) + i, image = slot / f.lines,
                line = slot - image * f.lines;
      line_[i] = min(image, b_.images - 1) * image_step + min(line, vs.count - 1) * f.v_step * channels;
    }
    last_position_ = us.count - 1;
  }

  __device__ void copy_matrices() {
    const int count = c_.matrix_words / 4;
    const uint4* from = matrices_ + int64_t(step_) * count;
    uint4* to = reinterpret_cast<uint4*>(b_.shared) + matrix_slot_ * count;
    for (int i = threadIdx.x; i < count; i += blockDim.x) copy_16(to + i, from + i);
  }

  /// Channels beyond the last read it: their mixing numbers are zero.
  __device__ void copy_lines() {
    const int channel = (step_ * 8 + threadIdx.x % 32 / 4) * C::kHalves;
    const T* from = plane_ + min(channel, c_.walk.source_channels - C::kHalves);
    uint32_t* to = line_words(c_, b_, line_slot_);
    const int step = c_.walk.u_step * c_.walk.source_channels;
    int position[C::kDepth * 2];
#pragma unroll
    for (int i = 0; i < C::kDepth * 2; ++i)
      position[i] = min(i * 4 + static_cast<int>(threadIdx.x) % 4, last_position_) * step;
#pragma unroll
    for (int i = 0; i < C::kWords; ++i) {
      const int tile = i / 2 / C::kSteps, s = i / 2 % C::kSteps;
      copy_word(to + i * 32, from + line_[tile * C::kStack + s / C::kDepth] + position[s % C::kDepth * 2 + i % 2]);
    }
  }

  /// bf16 data may start between two words.
  __device__ static void copy_word(uint32_t* to, const T* from) {
    if (sizeof(T) == 4 || reinterpret_cast<uintptr_t>(from) % 4 == 0)
      copy_4(to, from);
    else
      for (int i = 0; i < C::kHalves; ++i) reinterpret_cast<T*>(to)[i] = from[i];
  }

 public:
  /// This lane's words of a slot of the line ring, 32 apart.
  __device__ static uint32_t* line_words(const ChainedPlan& c, const ChainedBlock& b, int slot) {
    return reinterpret_cast<uint32_t*>(b.shared + c.line_ring) + slot * c.line_words +
           threadIdx.x / 32 * (C::kWords * 32) + threadIdx.x % 32;
  }

 private:
  const ChainedPlan& c_;
  ChainedBlock b_;
  const T* source_;
  const uint4* packed_;
  const T* plane_ = nullptr;
  const uint4* matrices_ = nullptr;
  UnitWalk walk_;
  int stage_ = 0, end_ = 0, step_ = 0, matrix_slot_ = 0, line_slot_ = 0;
  int line_[C::kRows * C::kStack], last_position_;
};

/// The first pass of one mode for all row tiles, as the left operand of the mix.
template <class T, int shape>
__device__ inline void first_pass(typename Chain<T, shape>::Operand& a, const float4 (&factor)[Chain<T, shape>::kSteps],
                                  const typename Chain<T, shape>::Data& data) {
  using C = Chain<T, shape>;
#pragma unroll
  for (int i = 0; i < C::kRows; ++i) {
    float d[C::kHalves][4];
#pragma unroll
    for (int s = 0; s < C::kSteps; ++s) {
      const uint32_t w[4] = {float_to_bits(factor[s].x), float_to_bits(factor[s].y), float_to_bits(factor[s].z),
                             float_to_bits(factor[s].w)};
#pragma unroll
      for (int h = 0; h < C::kHalves; ++h) {
        const uint32_t *x = data[i][s],
                       low = C::kHalves == 1 ? x[0]
                             : h             ? x[0] & 0xffff0000u
                                             : x[0] << 16,
                       high = C::kHalves == 1 ? x[1]
                              : h             ? x[1] & 0xffff0000u
                                              : x[1] << 16;
        if (s == 0)
          product_tf32(d[h], w, low, high);
        else
          mma_tf32(d[h], w, low, high);
      }
    }
    if constexpr (C::kHalves == 2) {
      a[i][0] = pack_bf16(d[0][0], d[1][0]), a[i][1] = pack_bf16(d[0][2], d[1][2]);
      a[i][2] = pack_bf16(d[0][1], d[1][1]), a[i][3] = pack_bf16(d[0][3], d[1][3]);
    } else {
      a[i][0] = round_tf32(d[0][0]), a[i][1] = round_tf32(d[0][2]);
      a[i][2] = round_tf32(d[0][1]), a[i][3] = round_tf32(d[0][3]);
    }
  }
}

template <class T, int shape>
__device__ inline void mix_mode(typename Chain<T, shape>::Sums& acc, const typename Chain<T, shape>::Operand& a,
                                const uint4* matrix) {
  using C = Chain<T, shape>;
#pragma unroll
  for (int j = 0; j < C::kColumns; j += 2) {
    const uint4 w = matrix[j / 2 * 32];
#pragma unroll
    for (int i = 0; i < C::kRows; ++i) {
      multiply<T, false>(acc[i][j], a[i], w.x, w.y);
      multiply<T, false>(acc[i][j + 1], a[i], w.z, w.w);
    }
  }
}

/// One step of the mix: the modes one after the other, with the first pass of the next mode started before the mix of
/// this one, so that its latency passes unseen. Beyond the last mode it is computed once more, unused.
template <class T, int shape>
__device__ inline void mix_step(typename Chain<T, shape>::Sums& acc, const typename Chain<T, shape>::Data& data,
                                const float4* factors, const uint4* matrix, int modes) {
  using C = Chain<T, shape>;
  constexpr int size = C::kColumns / 2 * 32;
  float4 factor[C::kSteps];
  const auto load_factor = [&](int mode) {
    const float4* from = factors + min(mode, modes - 1) * (C::kSteps * 32);
#pragma unroll
    for (int s = 0; s < C::kSteps; ++s) factor[s] = from[s * 32];
  };
  typename C::Operand even, odd;
  load_factor(0);
  first_pass<T, shape>(even, factor, data);
  load_factor(1);
#ifdef SCDCF_LOOP_B
#  pragma unroll 1
  for (int mode = 0; mode + 1 < modes; mode += 2, matrix += 2 * size) {
    first_pass<T, shape>(odd, factor, data);
    load_factor(mode + 2);
    mix_mode<T, shape>(acc, even, matrix);
    first_pass<T, shape>(even, factor, data);
    load_factor(mode + 3);
    mix_mode<T, shape>(acc, odd, matrix + size);
  }
  if (modes % 2) mix_mode<T, shape>(acc, even, matrix);
#else
#  pragma unroll 1
  for (int mode = 0; mode < modes; mode += 2, matrix += 2 * size) {
    first_pass<T, shape>(odd, factor, data);
    load_factor(mode + 2);
    mix_mode<T, shape>(acc, even, matrix);
    if (mode + 1 == modes) break;
    first_pass<T, shape>(even, factor, data);
    load_factor(mode + 3);
    mix_mode<T, shape>(acc, odd, matrix + size);
  }
#endif
}

/// Moves the sums to the result [second mode][line][p][wide] and clears them. full: every column is in use.
template <class T, int shape, bool full>
__device__ inline void spill(const ChainedPlan& c, const ChainedBlock& b, typename Chain<T, shape>::Sums& acc) {
  using C = Chain<T, shape>;
  const FusedPlan& f = c.walk;
  const int lane = threadIdx.x % 32, line0 = threadIdx.x / 32 * (C::kRows * C::kStack);
  const int used = f.second.modes * f.wide / 8, gap = (f.result_rows - 1) * f.wide;
  // Column tile j lies at offset[j] + (8 * (j % 4) ^ flip) of its row: the swizzle changes only those bits.
  int offset[C::kColumns], channel = 0;
#pragma unroll
  for (int j = 0, begin = 0; j < C::kColumns; ++j) {
    offset[j] = begin + j / 4 * 32;
    channel += 8;
    if (channel == f.wide) channel = 0, begin += gap;
  }
  uint32_t* result = reinterpret_cast<uint32_t*>(b.shared + c.result) + lane % 4 * 2;
#pragma unroll
  for (int r = 0; r < C::kRows * 2; ++r) {
    const int line = line0 + (C::kStack == 2 ? r : r / 2), p = lane / 4 + (C::kStack == 2 ? 0 : r % 2 * 8);
    const int row = line * c.pitch + p, flip = swizzle(row, f.wide);
    if (line < f.images * f.lines && p < f.first.tile) {
      uint32_t* to[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) to[i] = result + row * f.wide + (i * 8 ^ flip);
#pragma unroll
      for (int j = 0; j < C::kColumns; ++j) {
        const float* at = &acc[r / 2][j][r % 2 * 2];
        if (full || j < used) store_shared(to[j % 4] + offset[j], round_tf32(at[0]), round_tf32(at[1]));
      }
    }
  }
#pragma unroll
  for (int i = 0; i < C::kRows * C::kColumns * 4; ++i) acc[i / 4 / C::kColumns][i / 4 % C::kColumns][i % 4] = 0;
}

template <class T, int shape>
__global__ void __launch_bounds__(kChainedWarps * 32, 1)
    chained_kernel(const __grid_constant__ ChainedPlan c, const T* source, const float4* first, const float4* second,
                   const uint4* packed, T* target) {
  using C = Chain<T, shape>;
  const FusedPlan& f = c.walk;
  const int lane = threadIdx.x % 32;
  Feed<T, shape> feed(c, source, packed);
  feed.start_next();
  feed.start_next();
  clear_beyond(c, shared_memory());
  typename C::Sums acc = {};
  int matrix_slot = 0, line_slot = 0;
#pragma unroll 1
  for (UnitWalk walk(c.blocks); walk.unit < c.work; walk.advance()) {
    const ChainedBlock b = make_chained_block(c, walk.unit);
    const int begin = f.stage_begin[b.plane], end = f.stage_begin[b.plane + 1];
    if (begin == end) write_zeros(c, b, target);
#pragma unroll 1
    for (int s = begin; s < end; ++s) {
      const int scale = f.stages[s].scale;
      const float4* factors = first + f.first.at(scale, b.p_tile, 0) + lane;
#pragma unroll 1
      for (int step = 0; step < f.chunks; ++step) {
        wait_copies<1>();
        sync_block();  // the matrices of this step are there, and nobody reads those of the step before
        typename C::Data data;
        const uint32_t* words = Feed<T, shape>::line_words(c, b, line_slot);
#pragma unroll
        for (int i = 0; i < C::kWords; ++i) {
          const uint32_t x = words[i * 32];
          data[i / 2 / C::kSteps][i / 2 % C::kSteps][i % 2] = sizeof(T) == 4 ? round_tf32(bits_to_float(x)) : x;
        }
        feed.start_next();  // into the slot just read
        mix_step<T, shape>(acc, data, factors,
                           reinterpret_cast<const uint4*>(b.shared) + matrix_slot * (c.matrix_words / 4) + lane,
                           f.first.modes);
        matrix_slot = matrix_slot + 1 == kMatrixRing ? 0 : matrix_slot + 1, line_slot ^= 1;
      }
      if (!f.flush_each && s + 1 < end) continue;
      if (f.second.modes * f.wide == C::kColumns * 8)
        spill<T, shape, true>(c, b, acc);
      else
        spill<T, shape, false>(c, b, acc);
      sync_block();
      const float4* columns = second + f.second.at(scale, 0, 0);
      const bool fresh = s == begin || !f.flush_each, last = s + 1 == end;
      if (c.second_columns == 4)
        result_pass<T, 4, 1>(c, b, columns, target, fresh, last);
      else
        result_pass<T, 2, 2>(c, b, columns, target, fresh, last);
    }
  }
}

template <class T, int shape>
void run(const ChainedPlan& c, const void* source, const float4* first, const float4* second, const uint32_t* packed,
         void* target, cudaStream_t stream) {
  launch(chained_kernel<T, shape>, c.blocks, c.walk.warps() * 32, c.walk.shared_bytes, stream, c,
         static_cast<const T*>(source), first, second, reinterpret_cast<const uint4*>(packed), static_cast<T*>(target));
}

template <class T>
void run_shape(const ChainedPlan& c, const void* source, const float4* first, const float4* second,
               const uint32_t* packed, void* target, cudaStream_t stream) {
  if (c.shape == 0) return run<T, 0>(c, source, first, second, packed, target, stream);
  if (c.shape == 1) return run<T, 1>(c, source, first, second, packed, target, stream);
  run<T, 2>(c, source, first, second, packed, target, stream);
}

}  // namespace

void run_chained(const ChainedPlan& plan, const void* source, const float4* first, const float4* second,
                 const uint32_t* packed, void* target, DataType type, cudaStream_t stream) {
  if (type == DataType::bfloat16)
    run_shape<bf16>(plan, source, first, second, packed, target, stream);
  else
    run_shape<float>(plan, source, first, second, packed, target, stream);
}

}  // namespace scdcf::ops::cuda
