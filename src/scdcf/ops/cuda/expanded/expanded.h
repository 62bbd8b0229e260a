// The expanded form: both 1-D passes written to memory, Z of separable_problem.h, and the mixing as matrix products
// over it by cuBLAS. A chunk of images at a time, so that Z stays below kMostExpandedBytes (device_limits.h).
//
//   forward      expand, then maps = Z * stack
//   grad_in      Z = grad_out * stack^T, then collect
//   grad_mixing  expand, then stack += Z^T * grad_out, chunk after chunk
//
// It takes every problem; form_cost.h says where it is the fastest.
#pragma once

#include "scdcf/ops/cuda/expanded/expanded_passes.h"

namespace scdcf::ops::cuda {

enum class ExpandedStep { forward, grad_in, grad_mixing };

struct ExpandedPlan {
  ExpandedStep step;
  ExpandedLayout layout;
  ExpandedPasses passes;
  int images;                                          // of a chunk
  bool stacked;                                        // the stacks are not the mixing matrices as they are
  size_t expanded_bytes, stack_bytes, gathered_bytes;  // of workspace; gathered: grad_out of one group

  size_t workspace() const { return expanded_bytes + stack_bytes + gathered_bytes + passes.bank_bytes; }
};

/// So that their maps stay below kMostExpandedBytes, unless a single image needs more.
int images_of_chunk(int batch, int64_t image_bytes);
ExpandedPlan plan_expanded(const DeviceProblem& p, DataType type, Precision precision, ExpandedStep step);

/// Where the calls below run, and with what arithmetic. The handle is bound to the stream.
struct ExpandedRun {
  DataType type;
  Precision precision;
  cudaStream_t stream;
  cublasHandle_t blas;
};

void expanded_forward(const DeviceProblem& p, const ExpandedPlan& plan, const void* in, const void* factors,
                      const void* mixing, void* out, void* workspace, const ExpandedRun& run);
void expanded_grad_in(const DeviceProblem& p, const ExpandedPlan& plan, const void* grad_out, const void* factors,
                      const void* mixing, void* grad_in, void* workspace, const ExpandedRun& run);
void expanded_grad_mixing(const DeviceProblem& p, const ExpandedPlan& plan, const void* in, const void* factors,
                          const void* grad_out, void* grad_mixing, void* workspace, const ExpandedRun& run);

}  // namespace scdcf::ops::cuda
