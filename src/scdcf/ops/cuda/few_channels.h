// Lifting: few input channels (1 to 4) and one source per scale. Then applying both 1-D passes to the input first and
// mixing last is the cheaper order: K*C maps Z per pixel on chip, then a product of depth K*C straight into the output.
#pragma once

#include "scdcf/ops/cuda/line_bank.h"

namespace scdcf::ops::cuda {

constexpr int kFewThreads = 256, kFewDepth = 64, kFewWide = 32;  // kFewWide: output channels per block of the gradient

struct FewPlan {
  int tx, ty, x_tiles, y_tiles, lines, patch_width;
  int depth, pitch;             // K*C rounded up to 16; floats per pixel of Z
  int row_group, column_group;  // mode counts rounded up to 4
  int wide, wide_tiles;         // output channels per block, rounded up to 8
  int patch, z, row_factors, column_factors, pixels, mixing, shared_bytes;
  int slices;  // gradient only
  int16_t pair_begin[kMaxMixings + 1], slice_begin[kMaxMixings + 1], pair_scale[kMaxScales];
  int8_t index[kMaxFactors][kMaxFactors];  // [column][row] -> k or -1

  __host__ __device__ int tiles() const { return x_tiles * y_tiles; }
  int64_t partial_floats() const { return int64_t(slices) * wide_tiles * depth * kFewWide; }
};

bool plan_few_channels(const DeviceProblem& p, bool gradient, FewPlan& plan);
void few_forward(const DeviceProblem& p, const FewPlan& plan, const void* in, const float* factors, const float* mixing,
                 void* out, DataType type, Precision precision, cudaStream_t stream);
void few_grad_mixing(const DeviceProblem& p, const FewPlan& plan, const void* in, const float* factors,
                     const void* grad_out, float* partial, float* grad_mixing, DataType type, Precision precision,
                     cudaStream_t stream);

}  // namespace scdcf::ops::cuda
