#include "scdcf/ops/cuda/machine/operand_fragments.cuh"
#include "scdcf/ops/cuda/streamed/streamed.h"

namespace scdcf::ops::cuda {
namespace {

struct OperandParams {
  LineBank first, second;
  FactorPlaces first_places, second_places;
  int forward, border_bits, mixing_exponent;
  int consumers, row_tiles, chunks, wide, wides, pairs, source_channels, target_channels, mode_count;
  int pitch, scale_words;                   // scale_words: second factors of a scale, two to a word
  int64_t source_step, target_step;         // of mixing[k] by source and by target channel
  int16_t index[kMaxFactors][kMaxFactors];  // [first][second] -> k or -1
  int first_words, second_words;            // of four bytes, as all are counted here
  int64_t count;
};

/// Two second factors as StreamedTile lays them out, for every scale; zero beyond modes, results and lines.
template <class T>
__device__ uint32_t second_word(const OperandParams& p, const float* factors, float scale, int index) {
  const int place = take_digit(index, p.scale_words) * 2;
  const int row = place / kFactorPitch, mode = row / p.pitch, target = row % p.pitch, source = place % kFactorPitch - 8;
  const int s = index, radius = p.second_places.radius[s];
  if (mode >= p.second.modes) return 0;
  const float* taps = factors + p.second_places.offset[s] + mode * (2 * radius + 1);
  return pack_operands<T>(scale * p.second.weight(taps, radius, 0, target, source),
                          scale * p.second.weight(taps, radius, 0, target, source + 1));
}

/// Mixing matrices as pieces [mixing][wide][chunk][pair of first modes] of rows of 32 source channels each, swizzled as
/// in hopper.cuh. A warp's rows of its row tiles are 16 target channels with consecutive second modes.
template <class T>
__device__ void write_piece_word(const OperandParams& p, const float* mixing, float scale, uint32_t* packed,
                                 int64_t index) {
  const int blocks = p.consumers * p.row_tiles, rows = blocks * 64;
  const int row = take_digit(index, rows);  // neighbours are rows: often near in memory
  const int word = take_digit(index, 4), part = take_digit(index, 8);
  const int64_t piece = index;
  const int first = take_digit(index, p.pairs) * 2 + part / 4;
  const int chunk = take_digit(index, p.chunks);
  const int wide = take_digit(index, p.wides);
  const int tile = row / 64, warp = tile / p.row_tiles * 4 + row % 64 / 16;
  const int second = warp / blocks * p.row_tiles + tile % p.row_tiles,
            target = wide * p.wide + warp % blocks * 16 + row % 16;
  const int k =
      first < p.first.modes && second < p.second.modes && target < p.target_channels ? p.index[first][second] : -1;
  const int source = chunk * kChunk + part % 4 * 8 + word * 2;
  const float* from = mixing + (index * p.mode_count + k) * p.source_channels * p.target_channels +
                      source * p.source_step + target * p.target_step;
  const float low = k >= 0 && source < p.source_channels ? scale * from[0] : 0.0f,
              high = k >= 0 && source + 1 < p.source_channels ? scale * from[p.source_step] : 0.0f;
  packed[((piece * rows + row) * 8 + (part ^ row % 8)) * 4 + word] = pack_operands<T>(low, high);
}

template <class T>
__global__ void streamed_operands_kernel(const __grid_constant__ OperandParams p, const float* factors,
                                         const float* mixing, uint32_t* first, uint32_t* second, uint32_t* packed,
                                         const Magnitudes* magnitudes) {
  const int64_t index = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= p.count) return;
  const Scales scales = scales_of(p.forward, p.border_bits, magnitudes, p.mixing_exponent);
  const int of_factors = p.first_words + p.second_words;
  if (index >= of_factors) return write_piece_word<T>(p, mixing, scales.mixing, packed, index - of_factors);
  const int word = static_cast<int>(index);
  if (word < p.first_words)
    first[word] = bank_word<T>(p.first, p.first_places, factors, scales.first, word);
  else
    second[word - p.first_words] = second_word<T>(p, factors, scales.second, word - p.first_words);
}

}  // namespace

void build_streamed_operands(const DeviceProblem& p, const StreamedPlan& f, bool forward, const float* factors,
                             const float* mixing, const StreamedOperands& operands, const Magnitudes* magnitudes,
                             DataType type, cudaStream_t stream) {
  OperandParams q{};
  q.first = f.first, q.second = f.second;
  q.first_places = factor_places(p, forward), q.second_places = factor_places(p, !forward);
  q.forward = forward, q.border_bits = f.border_bits, q.mixing_exponent = f.mixing_exponent;
  q.consumers = f.consumers, q.row_tiles = f.row_tiles, q.chunks = f.chunks, q.wide = f.wide, q.wides = f.wides;
  q.pairs = f.pairs, q.source_channels = f.source_channels, q.target_channels = f.target_channels;
  q.mode_count = p.mode_count;
  q.pitch = f.pitch, q.scale_words = f.factor_bytes / 4;
  q.source_step = forward ? p.out_channels : 1, q.target_step = forward ? 1 : p.out_channels;
  for (auto& row : q.index)
    for (auto& k : row) k = -1;
  for (int k = 0; k < p.mode_count; ++k) {
    const int row = p.modes[k].row, column = p.modes[k].column;
    q.index[forward ? row : column][forward ? column : row] = static_cast<int16_t>(k);
  }
  q.first_words = static_cast<int>(f.first.bytes(p.scale_count) / 4);
  q.second_words = static_cast<int>(f.second_bytes(p.scale_count) / 4);
  q.count = q.first_words + q.second_words + f.packed_bytes(p.mixings) / 4;
  visit_maps(type, [&](auto map) {
    launch(streamed_operands_kernel<decltype(map)>, divide_up(q.count, 256), 256, 0, stream, q, factors, mixing,
           reinterpret_cast<uint32_t*>(operands.first), reinterpret_cast<uint32_t*>(operands.second),
           reinterpret_cast<uint32_t*>(operands.packed), type == DataType::float32 ? magnitudes : nullptr);
  });
}

}  // namespace scdcf::ops::cuda
