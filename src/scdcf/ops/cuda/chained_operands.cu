// What the chained kernels multiply by: the factors and the mixing matrices as fragments, 16 bytes a lane, read through
// the L1 cache; and how large everything is.
#include <algorithm>

#include "scdcf/ops/cuda/number_format.cuh"

namespace scdcf::ops::cuda {
namespace {

struct OperandParams {
  ChainedTiles tiles;
  int forward, wide, wides, scales, source_channels, target_channels;
  int64_t source_step, target_step;  // of a mixing matrix by source and by target channel
  int64_t first_count, bank_count, count;
  int first_offset[kMaxScales], second_offset[kMaxScales];
};

/// Weight of source k for row r in a row tile that 2^bits images or positions share.
__device__ float factor_weight(const LineBank& bank, const float* taps, int radius, int tile, int bits, int r, int k) {
  if (bits > 0) {
    if (r >> (4 - bits) != k >> (4 - bits)) return 0;
    r &= (16 >> bits) - 1, k &= (16 >> bits) - 1;
  }
  const LineSpan targets = bank.targets_of(tile), sources = bank.reach(radius, tile);
  if (r >= targets.count || k >= sources.count) return 0;
  const LineOperator op{bank.axis, radius};
  return bank.transposed ? op.weight(taps, sources.begin + k, targets.begin + r)
                         : op.weight(taps, targets.begin + r, sources.begin + k);
}

/// Element i of a lane's 8 numbers of a left operand: row and column.
__device__ inline int fragment_row(int lane, int i) { return lane / 4 + i / 2 % 2 * 8; }
__device__ inline int fragment_column(int lane, int i) { return lane % 4 * 2 + i % 2 + i / 4 * 8; }

/// Eight numbers as four words, part `part` of them.
template <class T, int parts>
__device__ uint4 pack_eight(const float (&x)[8], int part) {
  uint32_t words[4];
  for (int i = 0; i < 4; ++i) {
    uint32_t w[parts];
    split_operands<T, parts>(x[2 * i], x[2 * i + 1], w);
    words[i] = w[part];
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

/// [scale][tile][factor][step][part][lane]
template <class T, int parts>
__device__ uint4 bank_word(const OperandParams& q, const LineBank& bank, const int* offsets, int steps, int bits,
                           const float* factors, float scale, int64_t rest) {
  const int lane = take_digit(rest, 32);
  const int part = take_digit(rest, parts);
  const int step = take_digit(rest, steps);
  const int mode = take_digit(rest, bank.modes);
  const int tile = take_digit(rest, bank.tiles);
  const int s = static_cast<int>(rest), radius = q.tiles.radius[s];
  const float* taps = factors + offsets[s] + mode * (2 * radius + 1);
  float x[8];
  for (int i = 0; i < 8; ++i)
    x[i] = scale *
           factor_weight(bank, taps, radius, tile, bits, fragment_row(lane, i), step * 16 + fragment_column(lane, i));
  return pack_eight<T, parts>(x, part);
}

/// [mixing][wide][chunk][mode][part][pair of 8-column tiles][lane]: right operands, two to a word of 16 bytes.
template <class T, int parts>
__device__ uint4 mixing_word(const OperandParams& q, const float* mixing, float scale, int64_t rest) {
  const ChainedTiles& f = q.tiles;
  const int lane = take_digit(rest, 32);
  const int pair = take_digit(rest, q.wide / 16);
  const int part = take_digit(rest, parts);
  const int mode = take_digit(rest, f.mode_count);
  const int chunk = take_digit(rest, f.chunks);
  const int wide = take_digit(rest, q.wides);
  const int64_t matrix = (rest * f.mode_count + f.mode_index[mode]) * q.source_channels * q.target_channels;
  float x[8];
  for (int i = 0; i < 8; ++i) {
    const int target = wide * q.wide + (pair * 2 + i / 4) * 8 + lane / 4;
    const int source = chunk * kChannels + lane % 4 * 2 + i % 2 + i / 2 % 2 * 8;
    x[i] = target < q.target_channels && source < q.source_channels
               ? scale * mixing[matrix + source * q.source_step + target * q.target_step]
               : 0.0f;
  }
  return pack_eight<T, parts>(x, part);
}

template <class T, int parts>
__global__ void operands_kernel(const __grid_constant__ OperandParams q, const float* factors, const float* mixing,
                                uint4* bank, uint4* packed, const Magnitudes* magnitudes) {
  const int64_t index = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= q.count) return;
  const ChainedTiles& f = q.tiles;
  const Scales scales = scales_of(f, q.forward, magnitudes);
  if (index < q.first_count)
    bank[index] =
        bank_word<T, parts>(q, f.first, q.first_offset, f.first_steps, f.first_bits, factors, scales.first, index);
  else if (index < q.bank_count)
    bank[index] = bank_word<T, parts>(q, f.second, q.second_offset, f.second_steps, f.second_bits, factors,
                                      scales.second, index - q.first_count);
  else
    packed[index - q.bank_count] = mixing_word<T, parts>(q, mixing, scales.mixing, index - q.bank_count);
}

struct MagnitudeParams {
  int64_t in, grad_out, mixing;  // numbers
  int blocks, scales, row_modes, column_modes;
  int radius[kMaxScales], row_offset[kMaxScales], column_offset[kMaxScales];
};

__device__ inline uint32_t magnitude(float x) { return float_to_bits(x) & 0x7fffffffu; }

/// Of the numbers that are this thread's: four at a time where they begin at a round address.
__device__ uint32_t largest_of(const float* x, int64_t count, int blocks) {
  const int64_t first = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, step = int64_t(blocks) * blockDim.x;
  uint32_t largest = 0;
  const int64_t fours = reinterpret_cast<uintptr_t>(x) % 16 == 0 ? count / 4 : 0;
#pragma unroll 4
  for (int64_t i = first; i < fours; i += step) {
    const float4 v = reinterpret_cast<const float4*>(x)[i];
    largest = max(max(largest, max(magnitude(v.x), magnitude(v.y))), max(magnitude(v.z), magnitude(v.w)));
  }
  for (int64_t i = fours * 4 + first; i < count; i += step) largest = max(largest, magnitude(x[i]));
  return largest;
}

__device__ uint32_t largest_factor(const float* factors, const int* offset, const int* radius, int scales, int modes) {
  uint32_t largest = 0;
  for (int i = threadIdx.x; i < scales * modes; i += blockDim.x) {
    const int s = i / modes, taps = 2 * radius[s] + 1;
    float sum = 0;
    for (int t = 0; t < taps; ++t) sum += bits_to_float(magnitude(factors[offset[s] + i % modes * taps + t]));
    largest = max(largest, magnitude(sum));
  }
  return largest;
}

__global__ void magnitude_kernel(const __grid_constant__ MagnitudeParams p, const float* in, const float* grad_out,
                                 const float* factors, const float* mixing, Magnitudes* m) {
  keep_largest(&m->in, largest_of(in, p.in, p.blocks));
  keep_largest(&m->grad_out, largest_of(grad_out, p.grad_out, p.blocks));
  keep_largest(&m->mixing, largest_of(mixing, p.mixing, p.blocks));
  if (blockIdx.x > 0) return;
  keep_largest(&m->row_factors, largest_factor(factors, p.row_offset, p.radius, p.scales, p.row_modes));
  keep_largest(&m->column_factors, largest_factor(factors, p.column_offset, p.radius, p.scales, p.column_modes));
}

}  // namespace

void build_chained_operands(const DeviceProblem& p, const ChainedTiles& f, bool forward, int wide, int wides,
                            const float* factors, const float* mixing, uint4* bank, uint4* packed,
                            const Magnitudes* magnitudes, DataType type, cudaStream_t stream) {
  OperandParams q{};
  q.tiles = f, q.forward = forward, q.wide = wide, q.wides = wides, q.scales = p.scale_count;
  q.source_channels = f.source_channels, q.target_channels = f.target_channels;
  q.source_step = forward ? p.out_channels : 1, q.target_step = forward ? 1 : p.out_channels;
  q.first_count = f.first_bank(p.scale_count, 0);
  q.bank_count = q.first_count + f.second_bank(p.scale_count, 0);
  q.count = q.bank_count;
  if (packed != nullptr) q.count += int64_t(p.mixings) * wides * f.chunks * f.mode_count * f.parts * (wide / 16) * 32;
  for (int s = 0; s < p.scale_count; ++s) {
    q.first_offset[s] = forward ? p.scales[s].row_offset : p.scales[s].column_offset;
    q.second_offset[s] = forward ? p.scales[s].column_offset : p.scales[s].row_offset;
  }
  visit_numbers(type, f.parts, 16, [&](auto numbers, auto) {
    launch(operands_kernel<typename decltype(numbers)::T, decltype(numbers)::parts>, divide_up(q.count, 128), 128, 0,
           stream, q, factors, mixing, bank, packed, magnitudes);
  });
}

void measure_magnitudes(const DeviceProblem& p, const float* in, const float* grad_out, const float* factors,
                        const float* mixing, Magnitudes* magnitudes, cudaStream_t stream) {
  MagnitudeParams q{};
  if (in != nullptr) q.in = int64_t(p.batch) * p.planes * p.in_height * p.in_width * p.in_channels;
  if (grad_out != nullptr) q.grad_out = int64_t(p.batch) * p.scale_count * p.out_height * p.out_width * p.out_channels;
  if (mixing != nullptr) q.mixing = int64_t(p.mixings) * p.mode_count * p.in_channels * p.out_channels;
  q.scales = p.scale_count, q.row_modes = p.row_modes, q.column_modes = p.column_modes;
  for (int s = 0; s < p.scale_count; ++s) {
    q.radius[s] = p.scales[s].radius;
    q.row_offset[s] = p.scales[s].row_offset, q.column_offset[s] = p.scales[s].column_offset;
  }
  check(cudaMemsetAsync(magnitudes, 0, sizeof(Magnitudes), stream), "clear");
  const int64_t numbers = q.in + q.grad_out + q.mixing;
  q.blocks = static_cast<int>(std::clamp<int64_t>(divide_up(numbers, 256 * 16), 1, 4 * multiprocessors()));
  launch(magnitude_kernel, q.blocks, 256, 0, stream, q, in, grad_out, factors, mixing, magnitudes);
}

}  // namespace scdcf::ops::cuda
