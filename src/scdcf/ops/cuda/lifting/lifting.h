// Lifting: few input channels (1 to 4) and one source per scale. Both 1-D passes, then the mix, in one block, and its
// bytes are nearly all output.
//
// A pass is a product of a Hankel matrix of the data, which is never built, with the factors: of sixteen positions t
// in a row and eight taps d, position t + d of the line is operand (t, d), so that a lane reads its operands straight
// from the line. Eight modes are the columns of one product:
//
//   patch [v][u]  --row factors b-->  lines [b][v][x]  --sum over b of the column factors-->  Z[y][mode]  --mix-->
//   [y][o]
//
// Z never leaves the registers: where a lane has its results of one product is where it needs its operands of the
// next, modes in another order. The gradient of the mixing has the second pass transposed, for the same reason:
// Z[mode][y] is the left operand of Z * grad_out.
#pragma once

#include "scdcf/ops/cuda/problem/device_problem.h"

namespace scdcf::ops::cuda {

constexpr int kLiftingThreads = 256, kMostLiftingFactors = 8;
constexpr int kMostForwardGroups = 8, kMostGradientGroups = 4;  // of modes, of all channels together

struct LiftingPlan {
  int tx, ty, x_tiles, y_tiles;  // of output pixels
  int steps;                     // of eight taps, at the largest radius
  int rows, width;               // of the patch of a channel
  int pitch, plane;              // numbers of a line of one row factor, and of all its lines
  int factors;                   // row factors that have modes
  int group, groups;             // modes of a group (8 forward, 16 gradient), and groups of a channel
  // Modes by row factor: number i is mode k[i] = (column[i], row factor number factor[i]). Group g has row factors
  // first[g] to last[g], and for each a part of the bank, from number parts[g] on.
  int8_t k[kMaxModes], column[kMaxModes], factor[kMaxModes], row[kMostLiftingFactors];
  int8_t first[kMostForwardGroups], last[kMostForwardGroups], parts[kMostForwardGroups + 1];
  int wide, wide_tiles;  // output channels of a product's columns (16, or 32), and how many times that there are
  int lines_at, row_at, column_at, mixing_at, shared_bytes;  // bytes into shared memory; the patch begins it

  // Gradient only: blocks by mixing matrix; those of matrix j are slices slice_begin[j] to slice_begin[j + 1] - 1, and
  // share the scales from number pair_begin[j] on.
  int slices;
  int16_t pair_begin[kMaxMixings + 1], slice_begin[kMaxMixings + 1], pair_scale[kMaxScales];

  __host__ __device__ int64_t slice_floats(int channels) const { return int64_t(channels) * groups * group * wide; }
  int64_t partial_floats(int channels) const { return slices * wide_tiles * slice_floats(channels); }
};

/// False where lifting is no problem of this kind, or does not fit.
bool plan_lifting(const DeviceProblem& p, bool gradient, LiftingPlan& plan);
void lifting_forward(const DeviceProblem& p, const LiftingPlan& plan, const void* in, const float* factors,
                     const float* mixing, void* out, DataType type, Precision precision, cudaStream_t stream);
void lifting_grad_mixing(const DeviceProblem& p, const LiftingPlan& plan, const void* in, const float* factors,
                         const void* grad_out, float* partial, float* grad_mixing, DataType type, Precision precision,
                         cudaStream_t stream);

}  // namespace scdcf::ops::cuda
