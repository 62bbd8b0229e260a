// Layouts in shared memory of the chained gradient, and the copies and the adjoint pass that fill them.
//
// Staged lines are [line][position][32 channels]. The operand of the product is, for every column mode, line and pair
// of output columns x, the 32 output channels in pieces of 16 bytes: piece (t, n) holds channels 4 n + 2 t and + 1 of
// both columns (float), piece n channels 4 n .. 4 n + 3 of both as packed pairs (bf16). n is XORed with line % 2. The
// pitches of chained_gradient.h keep bank conflicts away.
#pragma once

#include "scdcf/ops/cuda/chained_gradient.h"
#include "scdcf/ops/cuda/line_pass.cuh"

namespace scdcf::ops::cuda {

/// Starts the copy of 32 channels of lines; channels beyond the last are left as they are, nobody uses their results.
/// What is not aligned to 16 bytes is copied number by number, at once.
template <class T>
__device__ inline void stage_lines(char* stage, const T* from, int images, int64_t image_step, int slots, int lines,
                                   int64_t line_step, int positions, int position_slots, int position_step,
                                   int channels) {
  constexpr int piece = 16 / sizeof(T), pieces = kChunk / piece;
  const int lane = threadIdx.x % 32, channel = lane % pieces * piece;
  if (channel >= channels) return;
  from += channel;
  const bool aligned = reinterpret_cast<uintptr_t>(from) % 16 == 0;
  for (int image = 0; image < images; ++image)
    for (int line = threadIdx.x / 32; line < lines; line += blockDim.x / 32) {
      const T* at = from + image * image_step + line * line_step;
      char* to = stage + (image * slots + line) * position_slots * stage_pitch<T> + channel * int(sizeof(T));
      for (int i = lane / pieces; i < positions; i += 32 / pieces) {
        if (aligned)
          copy_16(to + i * stage_pitch<T>, at + int64_t(i) * position_step);
        else
          for (int k = 0; k < piece; ++k)
            reinterpret_cast<T*>(to + i * stage_pitch<T>)[k] = at[int64_t(i) * position_step + k];
      }
    }
}

/// Channels 4 (lane / 4) .. + 3 of a staged position, as tf32 numbers.
__device__ inline void load_staged(uint32_t (&x)[4], const float* at) {
  const float4 v = *reinterpret_cast<const float4*>(at);
  x[0] = round_tf32(v.x), x[1] = round_tf32(v.y), x[2] = round_tf32(v.z), x[3] = round_tf32(v.w);
}
__device__ inline void load_staged(uint32_t (&x)[4], const bf16* at) {
  const uint2 v = *reinterpret_cast<const uint2*>(at);
  x[0] = v.x << 16, x[1] = v.x & 0xffff0000u, x[2] = v.y << 16, x[3] = v.y & 0xffff0000u;
}

/// One line's row of the operand: sums of columns 2 c and 2 c + 1 (c = lane % 4) of four column tiles, for two columns
/// x.
__device__ inline void store_pairs(float*, char* at, const float (&even)[4][4], const float (&odd)[4][4], int r,
                                   int flip) {
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int t = 0; t < 2; ++t)
      *reinterpret_cast<uint4*>(at + (t * 8 + (i ^ flip)) * 16) =
          make_uint4(round_tf32(even[2 * t][r + i]), round_tf32(odd[2 * t][r + i]), round_tf32(even[2 * t + 1][r + i]),
                     round_tf32(odd[2 * t + 1][r + i]));
}
__device__ inline void store_pairs(bf16*, char* at, const float (&even)[4][4], const float (&odd)[4][4], int r,
                                   int flip) {
#pragma unroll
  for (int i = 0; i < 2; ++i)
    *reinterpret_cast<uint4*>(at + (i ^ flip) * 16) =
        make_uint4(pack_bf16(even[0][r + i], odd[0][r + i]), pack_bf16(even[1][r + i], odd[1][r + i]),
                   pack_bf16(even[2][r + i], odd[2][r + i]), pack_bf16(even[3][r + i], odd[3][r + i]));
}

/// operand[a][line][pair] = the adjoint column pass of the staged grad_out. A warp has one mode; factors are the
/// fragments of the tile. The last pair of an odd tile holds its last column twice: the row pass has zero there.
template <class T, int depth>
__device__ inline void adjoint_pass(const ChainedGradientPlan& c, int images, const float4* factors, char* shared) {
  const MixingPlan& m = c.mixing;
  const int lane = threadIdx.x % 32, a = threadIdx.x / 32 % 4, tx = m.rows.tile, tv = m.columns.tile;
  if (a >= m.columns.group) return;
  float4 factor[depth];
#pragma unroll
  for (int s = 0; s < depth; ++s) factor[s] = factors[(a * depth + s) * 32 + lane];
  constexpr int line_bytes = depth * 8 * stage_pitch<T>;
  const char* stage = shared + c.grad_stage + lane % 4 * stage_pitch<T> + lane / 4 * 4 * int(sizeof(T));
  char* operand = shared + c.operand + a * m.images * tv * c.x_pairs * pair_pitch<T> + lane % 4 * 32;
  for (int image = 0; image < images; ++image)
    for (int pair = threadIdx.x / 128; pair < c.x_pairs; pair += 2) {
      float d[2][4][4] = {};
#pragma unroll
      for (int s = 0; s < depth; ++s) {
        const uint32_t w[4] = {float_to_bits(factor[s].x), float_to_bits(factor[s].y), float_to_bits(factor[s].z),
                               float_to_bits(factor[s].w)};
#pragma unroll
        for (int x = 0; x < 2; ++x) {
          const char* at = stage + (image * tx + min(2 * pair + x, tx - 1)) * line_bytes + s * 8 * stage_pitch<T>;
          uint32_t low[4], high[4];
          load_staged(low, reinterpret_cast<const T*>(at));
          load_staged(high, reinterpret_cast<const T*>(at + 4 * stage_pitch<T>));
#pragma unroll
          for (int j = 0; j < 4; ++j) mma_tf32(d[x][j], w, low[j], high[j]);
        }
      }
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int v = half * 8 + lane / 4, line = image * tv + v;
        if (v < tv)
          store_pairs(static_cast<T*>(nullptr), operand + (line * c.x_pairs + pair) * pair_pitch<T>, d[0], d[1],
                      half * 2, line % 2);
      }
    }
}

}  // namespace scdcf::ops::cuda
