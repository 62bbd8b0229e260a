// A 1-D pass over channels-last lines with all modes of a bank at once, on tensor cores:
//   out[mode][pixel][channel] = sum over positions of factor[mode, t][position] * line[position][channel].
//
// A warp takes one line and 32 channels. Column n of the four 8-column tiles is channel 4 * n + tile, so that a lane
// reads four neighbouring channels with one load, straight from global memory (each number is used by one warp only),
// and stores eight neighbouring channels of its rows.
#pragma once

#include "scdcf/ops/cuda/matrix_tiles.cuh"

namespace scdcf::ops::cuda {

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

/// One step of a line: eight positions, of which this lane holds two. A load needs no predicate: positions beyond the
/// line read its last one (their factors are zero).
template <bool exact, bool wide, class T>
__device__ inline void load_step(float (&low)[4], float (&high)[4], const T* at, int step, const Lines<T>& in,
                                 int left) {
  const int position = step * 8 + threadIdx.x % 4, last = in.positions - 1;
  load_channels<wide>(low, at + min(position, last) * in.position_step, true, wide ? 4 : left);
  load_channels<wide>(high, at + min(position + 4, last) * in.position_step, true, wide ? 4 : left);
  if constexpr (sizeof(T) == 4) {  // bf16 numbers are tf32 numbers
#pragma unroll
    for (int j = 0; j < 4; ++j) low[j] = operand<exact>(low[j]), high[j] = operand<exact>(high[j]);
  }
}

template <bool exact>
__device__ inline void apply_step(float (&d)[4][4], const float4& w, const float (&low)[4], const float (&high)[4]) {
  const uint32_t a[4] = {float_to_bits(w.x), float_to_bits(w.y), float_to_bits(w.z), float_to_bits(w.w)};
#pragma unroll
  for (int j = 0; j < 4; ++j) multiply_float<exact>(d[j], a, float_to_bits(low[j]), float_to_bits(high[j]));
}

/// row_tiles and depth as in LineBank; factors are the fragments of one set. All warps of the block take part.
/// held: the steps of a line, which stay in registers for all row tiles, or 0: any number, read again for each tile.
/// Lanes beyond the channels read the first ones: nobody uses their results.
template <class T, bool exact, bool wide, int held>
__device__ void line_pass_as(const Lines<T>& in, const float4* factors, int row_tiles, int depth,
                             const PassOutput& out) {
  const int lane = threadIdx.x % 32, warps = blockDim.x / 32, channel = lane / 4 * 4, left = in.channels - channel;
  const int steps = (in.positions + 7) / 8;
  const T* source = in.source + (wide && left <= 0 ? 0 : channel);
  const int* table = out.table + lane / 4;
  factors += lane;
  int image = 0;
  for (int line = threadIdx.x / 32;; line += warps) {
    while (line >= out.line_slots) line -= out.line_slots, ++image;
    if (image >= out.image_slots) break;
    const bool exists = image < in.images && line < in.lines;
    const T* at = source + (exists ? image * in.image_step + int64_t(line) * in.line_step : 0);
    char* to = out.shared + image * out.image_bytes + line * out.line_bytes + lane % 4 * 8 * int(sizeof(T));
    float low[held + 1][4], high[held + 1][4];
#pragma unroll
    for (int s = 0; s < held; ++s) load_step<exact, wide>(low[s], high[s], at, s, in, left);
    const float4* factor = factors;
#pragma unroll 1
    for (int tile = 0; tile < row_tiles; ++tile, factor += depth * 32) {
      const int upper = table[tile * 16], lower = table[tile * 16 + 8];
      float d[4][4] = {};
      if (exists) {
#pragma unroll
        for (int s = 0; s < held; ++s) apply_step<exact>(d, factor[s * 32], low[s], high[s]);
        if constexpr (held == 0) {
          const float4* from = factor;
#pragma unroll(wide ? 2 : 1)
          for (int step = 0; step < steps; ++step, from += 32) {
            load_step<exact, wide>(low[0], high[0], at, step, in, left);
            apply_step<exact>(d, *from, low[0], high[0]);
          }
        }
      }
      if (upper >= 0) store_row<T, exact>(to + upper, d, 0);
      if (lower >= 0) store_row<T, exact>(to + lower, d, 2);
    }
  }
}

/// most: lines of up to so many steps are held in registers, as the kernel has room for.
template <class T, bool exact, int most>
__device__ void line_pass(const Lines<T>& in, const float4* factors, int row_tiles, int depth, const PassOutput& out) {
  if (!in.wide)
    line_pass_as<T, exact, false, 0>(in, factors, row_tiles, depth, out);
  else if (in.positions <= 8)
    line_pass_as<T, exact, true, 1>(in, factors, row_tiles, depth, out);
  else if (in.positions <= 16)
    line_pass_as<T, exact, true, 2>(in, factors, row_tiles, depth, out);
  else if (most >= 3 && in.positions <= 24)
    line_pass_as<T, exact, true, most >= 3 ? 3 : 0>(in, factors, row_tiles, depth, out);
  else
    line_pass_as<T, exact, true, 0>(in, factors, row_tiles, depth, out);
}

}  // namespace scdcf::ops::cuda
