#include "scdcf/ops/cuda/matrix_tiles.cuh"
#include "scdcf/ops/cuda/streamed.h"

namespace scdcf::ops::cuda {
namespace {

struct OperandParams {
  LineBank second;
  int consumers, row_tiles, chunks, wide, wides, first_modes, source_channels, target_channels, mode_count;
  int pitch, scale_factors;                 // scale_factors: numbers per scale
  int64_t source_step, target_step;         // of mixing[k] by source and by target channel
  int16_t index[kMaxFactors][kMaxFactors];  // [first][second] -> k or -1
  int radius[kMaxScales], offset[kMaxScales];
};

/// Second factors as StreamedTile lays them out, for every scale; zero beyond modes, results and lines.
__device__ float factor_at(const OperandParams& p, const float* factors, int64_t index) {
  const int scale = index / p.scale_factors, place = index % p.scale_factors;
  const int row = place / kFactorPitch, mode = row / p.pitch, target = row % p.pitch, source = place % kFactorPitch - 8;
  const int radius = p.radius[scale];
  const LineSpan targets = p.second.targets_of(0), sources = p.second.reach(radius, 0);
  if (mode >= p.second.modes || target >= targets.count || source < 0 || source >= sources.count) return 0;
  const LineOperator op{p.second.axis, radius};
  const float* taps = factors + p.offset[scale] + mode * (2 * radius + 1);
  return p.second.transposed ? op.weight(taps, sources.begin + source, target)
                             : op.weight(taps, target, sources.begin + source);
}

/// Mixing matrices as pieces [mixing][wide][chunk][first mode] of rows of 32 source channels, swizzled as in
/// hopper.cuh. A warp's rows of its row tiles are 16 target channels with consecutive second modes.
__device__ void write_piece(const OperandParams& p, const float* mixing, float4* packed, int64_t index) {
  const int blocks = p.consumers * p.row_tiles, rows = blocks * 64;
  const int row = index % rows, part = index / rows % 8;  // neighbours are rows: their numbers are often together
  int64_t rest = index / rows / 8;
  const int64_t piece = rest;
  const int f = take_digit(rest, p.first_modes);
  const int chunk = take_digit(rest, p.chunks);
  const int wide = rest % p.wides;
  const int64_t m = rest / p.wides;
  const int tile = row / 64, warp = tile / p.row_tiles * 4 + row % 64 / 16;
  const int g = warp / blocks * p.row_tiles + tile % p.row_tiles,
            target = wide * p.wide + warp % blocks * 16 + row % 16;
  const int k = g < p.second.modes && target < p.target_channels ? p.index[f][g] : -1;
  float x[4];
  for (int i = 0; i < 4; ++i) {
    const int source = chunk * 32 + part * 4 + i;
    x[i] = 0;
    if (k >= 0 && source < p.source_channels)
      x[i] = operand<false>(mixing[(m * p.mode_count + k) * p.source_channels * p.target_channels +
                                   source * p.source_step + target * p.target_step]);
  }
  packed[(piece * rows + row) * 8 + (part ^ row % 8)] = make_float4(x[0], x[1], x[2], x[3]);
}

__global__ void streamed_operands_kernel(const __grid_constant__ OperandParams p, const float* factors,
                                         const float* mixing, float* second, float4* packed, int64_t factor_count,
                                         int64_t piece_count) {
  const int64_t index = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index < factor_count)
    second[index] = operand<false>(factor_at(p, factors, index));
  else if (index - factor_count < piece_count)
    write_piece(p, mixing, packed, index - factor_count);
}

}  // namespace

void build_streamed_operands(const DeviceProblem& p, const StreamedPlan& f, bool forward, const float* factors,
                             const float* mixing, void* second, void* packed, cudaStream_t stream) {
  OperandParams q{};
  q.second = f.second;
  q.consumers = f.consumers, q.row_tiles = f.row_tiles, q.chunks = f.chunks, q.wide = f.wide, q.wides = f.wides;
  q.first_modes = f.first.modes, q.source_channels = f.source_channels, q.target_channels = f.target_channels;
  q.mode_count = p.mode_count;
  q.pitch = f.pitch, q.scale_factors = f.factor_bytes / 4;
  q.source_step = forward ? p.out_channels : 1, q.target_step = forward ? 1 : p.out_channels;
  for (auto& row : q.index)
    for (auto& k : row) k = -1;
  for (int k = 0; k < p.mode_count; ++k) {
    const int row = p.modes[k].row, column = p.modes[k].column;
    q.index[forward ? row : column][forward ? column : row] = static_cast<int16_t>(k);
  }
  for (int s = 0; s < p.scale_count; ++s) {
    q.radius[s] = p.scales[s].radius;
    q.offset[s] = forward ? p.scales[s].column_offset : p.scales[s].row_offset;
  }
  const int64_t factor_count = f.second_bytes(p.scale_count) / 4, pieces = f.packed_bytes(p.mixings) / 16;
  launch(streamed_operands_kernel, divide_up(factor_count + pieces, 256), 256, 0, stream, q, factors, mixing,
         static_cast<float*>(second), static_cast<float4*>(packed), factor_count, pieces);
}

}  // namespace scdcf::ops::cuda
