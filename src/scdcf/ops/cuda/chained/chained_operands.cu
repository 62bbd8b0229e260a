// What the chained kernels multiply by: the factors and the mixing matrices as fragments, 16 bytes a lane, read through
// the L1 cache. A thread makes four of them: with sixteen its divisions, one behind the other, took as long again.
#include "scdcf/ops/cuda/chained/chained.h"
#include "scdcf/ops/cuda/machine/operand_fragments.cuh"

namespace scdcf::ops::cuda {
namespace {

struct OperandParams {
  ChainedTiles tiles;
  int forward, wide, wides, scales, source_channels, target_channels;
  int64_t source_step, target_step;        // of a mixing matrix by source and by target channel
  int64_t first_count, bank_count, count;  // words of four bytes
  int first_offset[kMaxScales], second_offset[kMaxScales];
};

/// Weight of source k for row r in a row tile that 2^bits images or positions share.
__device__ float factor_weight(const LineBank& bank, const float* taps, int radius, int tile, int bits, int r, int k) {
  if (bits > 0) {
    if (r >> (4 - bits) != k >> (4 - bits)) return 0;
    r &= (16 >> bits) - 1, k &= (16 >> bits) - 1;
  }
  return bank.weight(taps, radius, tile, r, k);
}

/// Part `part` of two operands.
template <class T, int parts>
__device__ uint32_t operand_word(float low, float high, int part) {
  uint32_t w[parts];
  split_operands<T, parts>(low, high, w);
  return w[part];
}

/// [scale][tile][factor][step][part][lane][word]
template <class T, int parts>
__device__ uint32_t factor_word(const OperandParams& q, const LineBank& bank, const int* offsets, int steps, int bits,
                                const float* factors, float scale, int rest) {
  const int word = take_digit(rest, 4);
  const int lane = take_digit(rest, 32);
  const int part = take_digit(rest, parts);
  const int step = take_digit(rest, steps);
  const int mode = take_digit(rest, bank.modes);
  const int tile = take_digit(rest, bank.tiles);
  const int s = rest, radius = q.tiles.radius[s];
  const float* taps = factors + offsets[s] + mode * (2 * radius + 1);
  const int row = fragment_row(lane, 2 * word), column = step * 16 + fragment_column(lane, 2 * word);
  return operand_word<T, parts>(scale * factor_weight(bank, taps, radius, tile, bits, row, column),
                                scale * factor_weight(bank, taps, radius, tile, bits, row, column + 1), part);
}

/// [mixing][wide][chunk][mode][part][pair of 8-column tiles][lane][word]: right operands, two to 16 bytes.
template <class T, int parts>
__device__ uint32_t mixing_word(const OperandParams& q, const float* mixing, float scale, int64_t rest) {
  const ChainedTiles& f = q.tiles;
  const int word = take_digit(rest, 4);
  const int lane = take_digit(rest, 32);
  const int pair = take_digit(rest, q.wide / 16);
  const int part = take_digit(rest, parts);
  const int mode = take_digit(rest, f.mode_count);
  const int chunk = take_digit(rest, f.chunks);
  const int wide = take_digit(rest, q.wides);
  const int64_t matrix = (rest * f.mode_count + f.mode_index[mode]) * q.source_channels * q.target_channels;
  const int target = wide * q.wide + (pair * 2 + word / 2) * 8 + lane / 4;
  const int source = chunk * kChannels + lane % 4 * 2 + word % 2 * 8;
  const float* from = mixing + matrix + source * q.source_step + target * q.target_step;
  const bool exists = target < q.target_channels;
  return operand_word<T, parts>(exists && source < q.source_channels ? scale * from[0] : 0.0f,
                                exists && source + 1 < q.source_channels ? scale * from[q.source_step] : 0.0f, part);
}

template <class T, int parts>
__global__ void operands_kernel(const __grid_constant__ OperandParams q, const float* factors, const float* mixing,
                                uint32_t* bank, uint32_t* packed, const Magnitudes* magnitudes) {
  const int64_t index = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= q.count) return;
  const ChainedTiles& f = q.tiles;
  const Scales scales = scales_of(q.forward, f.border_bits, magnitudes);
  if (index < q.first_count)
    bank[index] = factor_word<T, parts>(q, f.first, q.first_offset, f.first_steps, f.first_bits, factors, scales.first,
                                        static_cast<int>(index));
  else if (index < q.bank_count)
    bank[index] = factor_word<T, parts>(q, f.second, q.second_offset, f.second_steps, f.second_bits, factors,
                                        scales.second, static_cast<int>(index - q.first_count));
  else
    packed[index - q.bank_count] = mixing_word<T, parts>(q, mixing, scales.mixing, index - q.bank_count);
}

}  // namespace

void build_chained_operands(const DeviceProblem& p, const ChainedTiles& f, bool forward, int wide, int wides,
                            const float* factors, const float* mixing, uint4* bank, uint4* packed,
                            const Magnitudes* magnitudes, DataType type, cudaStream_t stream) {
  OperandParams q{};
  q.tiles = f, q.forward = forward, q.wide = wide, q.wides = wides, q.scales = p.scale_count;
  q.source_channels = f.source_channels, q.target_channels = f.target_channels;
  q.source_step = forward ? p.out_channels : 1, q.target_step = forward ? 1 : p.out_channels;
  q.first_count = f.first_bank(p.scale_count, 0) * 4;
  q.bank_count = q.first_count + f.second_bank(p.scale_count, 0) * 4;
  q.count = q.bank_count;
  if (packed != nullptr) q.count += int64_t(p.mixings) * wides * f.chunks * f.mode_count * f.parts * (wide / 16) * 128;
  for (int s = 0; s < p.scale_count; ++s) {
    q.first_offset[s] = forward ? p.scales[s].row_offset : p.scales[s].column_offset;
    q.second_offset[s] = forward ? p.scales[s].column_offset : p.scales[s].row_offset;
  }
  visit_numbers(type, f.parts, 16, [&](auto numbers, auto) {
    launch(operands_kernel<typename decltype(numbers)::T, decltype(numbers)::parts>, divide_up(q.count, 128), 128, 0,
           stream, q, factors, mixing, reinterpret_cast<uint32_t*>(bank), reinterpret_cast<uint32_t*>(packed),
           magnitudes);
  });
}

}  // namespace scdcf::ops::cuda
