// A 1-D pass over channels-last lines with all modes of a bank at once, on tensor cores:
//   out[mode][pixel][channel] = sum over positions of factor[mode, t][position] * line[position][channel].
//
// A warp takes one line and 32 channels. Column n of the four 8-column tiles is channel 4 * n + tile, so that a lane
// reads four neighbouring channels with one load, straight from global memory (each number is used by one warp only),
// and stores eight neighbouring channels of its rows.
#pragma once

#include "scdcf/ops/cuda/matrix_tiles.cuh"

namespace scdcf::ops::cuda {

constexpr int kChunk = 32;  // channels of a line pass

template <class T>
struct Lines {
  const T* source;                         // first image, line, position and channel
  int64_t image_step;                      // elements
  int line_step, position_step;            // elements
  int images, lines, positions, channels;  // what exists; beyond reads zero
  bool wide;                               // four channels are there together or not at all, and aligned
};

struct PassOutput {
  char* shared;
  const int* table;             // row of the bank -> byte offset, or -1
  int image_slots, line_slots;  // lines that are written, whether they exist or not
  int image_bytes, line_bytes;
};

/// Four neighbouring channels, of which `left` exist. wide: all of them or none, and aligned; one predicated load.
template <bool wide, class T>
__device__ inline void load_channels(float (&x)[4], const T* at, bool valid, int left) {
  valid = valid && left > 0;
  if constexpr (!wide) {
#pragma unroll
    for (int i = 0; i < 4; ++i) x[i] = valid && i < left ? to_float(at[i]) : 0.0f;
  } else if constexpr (sizeof(T) == 2) {
    uint2 v = make_uint2(0, 0);
    if (valid) v = *reinterpret_cast<const uint2*>(at);
    x[0] = bits_to_float(v.x << 16), x[1] = bits_to_float(v.x & 0xffff0000u);
    x[2] = bits_to_float(v.y << 16), x[3] = bits_to_float(v.y & 0xffff0000u);
  } else {
    float4 v = make_float4(0, 0, 0, 0);
    if (valid) v = *reinterpret_cast<const float4*>(at);
    x[0] = v.x, x[1] = v.y, x[2] = v.z, x[3] = v.w;
  }
}

/// Eight neighbouring channels of one pixel: columns n and n + 1 of the four tiles.
template <class T, bool exact>
__device__ inline void store_row(char* at, const float (&d)[4][4], int r) {
  if constexpr (sizeof(T) == 2) {
    *reinterpret_cast<uint4*>(at) =
        make_uint4(pack_bf16(d[0][r], d[1][r]), pack_bf16(d[2][r], d[3][r]), pack_bf16(d[0][r + 1], d[1][r + 1]),
                   pack_bf16(d[2][r + 1], d[3][r + 1]));
  } else {
    float4* to = reinterpret_cast<float4*>(at);
    to[0] =
        make_float4(operand<exact>(d[0][r]), operand<exact>(d[1][r]), operand<exact>(d[2][r]), operand<exact>(d[3][r]));
    to[1] = make_float4(operand<exact>(d[0][r + 1]), operand<exact>(d[1][r + 1]), operand<exact>(d[2][r + 1]),
                        operand<exact>(d[3][r + 1]));
  }
}

/// row_tiles and depth as in LineBank (steps beyond the existing positions are skipped); factors are the fragments of
/// one set. All warps of the block take part. at_once: row tiles that share the loads of a line, as many as the
/// registers of the kernel hold.
template <class T, bool exact, int at_once, bool wide>
__device__ void line_pass_as(const Lines<T>& in, const float4* factors, int row_tiles, int depth,
                             const PassOutput& out) {
  const int lane = threadIdx.x % 32, warps = blockDim.x / 32, units = out.image_slots * out.line_slots;
  const int left = in.channels - lane / 4 * 4, steps = (in.positions + 7) / 8;
  for (int unit = threadIdx.x / 32; unit < units; unit += warps) {
    const int image = unit / out.line_slots, line = unit - image * out.line_slots;
    const bool exists = image < in.images && line < in.lines;
    const T* at =
        in.source + image * in.image_step + int64_t(line) * in.line_step + lane % 4 * in.position_step + lane / 4 * 4;
    char* to = out.shared + image * out.image_bytes + line * out.line_bytes + lane % 4 * 8 * int(sizeof(T));
    for (int tile = 0; tile < row_tiles; tile += at_once) {
      float d[at_once][4][4] = {};
#pragma unroll(wide ? 2 : 1)
      for (int step = 0; step < steps; ++step) {
        float low[4], high[4];
        const int position = step * 8 + lane % 4;
        load_channels<wide>(low, at + step * 8 * in.position_step, exists && position < in.positions, left);
        load_channels<wide>(high, at + (step * 8 + 4) * in.position_step, exists && position + 4 < in.positions, left);
#pragma unroll
        for (int j = 0; j < 4; ++j) low[j] = operand<exact>(low[j]), high[j] = operand<exact>(high[j]);
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          if (i > 0 && tile + i >= row_tiles) continue;
          const float4 w = factors[((tile + i) * depth + step) * 32 + lane];
          const uint32_t a[4] = {float_to_bits(w.x), float_to_bits(w.y), float_to_bits(w.z), float_to_bits(w.w)};
#pragma unroll
          for (int j = 0; j < 4; ++j) multiply_float<exact>(d[i][j], a, float_to_bits(low[j]), float_to_bits(high[j]));
        }
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (i > 0 && tile + i >= row_tiles) continue;
        const int upper = out.table[(tile + i) * 16 + lane / 4], lower = out.table[(tile + i) * 16 + lane / 4 + 8];
        if (upper >= 0) store_row<T, exact>(to + upper, d[i], 0);
        if (lower >= 0) store_row<T, exact>(to + lower, d[i], 2);
      }
    }
  }
}

template <class T, bool exact, int at_once>
__device__ void line_pass(const Lines<T>& in, const float4* factors, int row_tiles, int depth, const PassOutput& out) {
  if (in.wide)
    line_pass_as<T, exact, at_once, true>(in, factors, row_tiles, depth, out);
  else
    line_pass_as<T, exact, at_once, false>(in, factors, row_tiles, depth, out);
}

}  // namespace scdcf::ops::cuda
