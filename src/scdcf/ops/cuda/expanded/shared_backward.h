// Both gradients from one expansion, of the gradient of the output: both passes, transposed, of all modes, to memory,
//
//   W[image][scale][pixel of the input][k][o] = sum over y, x of factors(k, y, x, pixel) * grad_out[image][scale][y,
//   x][o]
//
// and then, by cuBLAS, with every mixing matrix m as K O rows and C columns,
//
//   grad_in     = sum over scales s that read the plane through matrix m of W[s] * M_m
//   grad_mixing = M_m's gradient = sum over scales of W[s]^T * (the plane that scale s reads through matrix m)
//
// W is the expanded form (expanded.h) of the mirrored problem: maps of O channels come in, one plane for each scale. It
// takes the place of two passages over Z, and for several planes a scale there is more of Z than of W.
#pragma once

#include "scdcf/ops/cuda/expanded/expanded.h"

namespace scdcf::ops::cuda {

struct SharedPlan {
  DeviceProblem mirror;
  ExpandedLayout layout;
  ExpandedPasses passes;
  int images;   // of a chunk
  bool direct;  // scale s reads plane s alone, all through one matrix: the maps are the products' as they are
  size_t expanded_bytes, matrix_bytes, sums_bytes, gathered_bytes;

  size_t workspace() const { return expanded_bytes + matrix_bytes + sums_bytes + gathered_bytes + passes.bank_bytes; }
};

/// The gradient of the output as input, and the other way round.
DeviceProblem mirrored(const DeviceProblem& p);

/// False where the passes are no products, or a scale reads two planes through one matrix.
bool plan_shared(const DeviceProblem& p, DataType type, Precision precision, SharedPlan& plan);
void shared_backward(const DeviceProblem& p, const SharedPlan& plan, const void* in, const void* factors,
                     const void* mixing, const void* grad_out, void* grad_in, void* grad_mixing, void* workspace,
                     const ExpandedRun& run);

}  // namespace scdcf::ops::cuda
