// The gradient of the mixing matrices with the row pass chained to the product (the sums are those of
// mixing_gradient.h).
//
// A warp owns one row mode b and 32 input channels as rows of the product, and 32 output channels of up to four column
// modes as columns. The row pass of a line lies in its registers as the product's left operand wants it; the adjoint
// column pass of a tile goes through shared memory, laid out so that one load brings two or four right operands. A
// block has eight warps: four row modes, times two groups of channels or (few channels) of lines. It has the
// multiprocessor to itself and copies what comes next while it computes.
#pragma once

#include "scdcf/ops/cuda/mixing_gradient.h"

namespace scdcf::ops::cuda {

constexpr int kChainedGradientThreads = 256, kWarpSums = 32 * 128;

/// Bytes of a position of a staged line, and of a pair of columns of the operand (chained_gradient.cuh), for numbers of
/// type T.
template <class T>
constexpr int stage_pitch = kChunk * sizeof(T) + 32;
template <class T>
constexpr int pair_pitch = 2 * kChunk * sizeof(T) + 32;

struct ChainedGradientPlan {
  MixingPlan mixing;  // in_tiles: of 64 channels if split, else of 32; pixels and the layout there are unused
  int split;          // the two groups of warps have different channels, else different lines
  int halves;         // groups of eight output columns x: 1 or 2
  int depth;          // steps of eight positions of a line, of both banks
  int x_pairs;        // pairs of output columns
  int grad_stage, operand, shared_bytes;  // byte offsets; the input lines are first

  int64_t partial_floats() const { return int64_t(mixing.slices) * mixing.tiles() * 8 * kWarpSums; }
};

static_assert(sizeof(ChainedGradientPlan) <= 4040, "kernel parameters");

bool plan_chained_gradient(const DeviceProblem& p, int element, ChainedGradientPlan& plan);
/// As run_mixing_gradient; data are bf16 or tf32.
void run_chained_gradient(const DeviceProblem& p, const ChainedGradientPlan& plan, const void* in, const float4* rows,
                          const float4* columns, const void* grad_out, float* partial, float* grad_mixing,
                          DataType type, cudaStream_t stream);

}  // namespace scdcf::ops::cuda
