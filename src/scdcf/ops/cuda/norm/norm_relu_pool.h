// Batch-norm, ReLU and average pooling on a CUDA device: torch-free host interface to the function that
// ops/norm_relu_pool_problem.h defines, and its gradient.
//
// Every function enqueues kernels on `stream` and returns: no synchronisation, no allocation, no copies, so calls can
// be captured in a CUDA graph. Sums are taken in double and in a fixed order: results repeat bit for bit.
//
//   data      x, y and their gradients   parameters, running statistics and their gradients
//   float32   float                      float
//   bfloat16  bf16 (16 bit)              float
//   float64   double                     double
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "scdcf/ops/cuda/data_type.h"
#include "scdcf/ops/norm_relu_pool_problem.h"

namespace scdcf::ops::cuda {

/// Pixels and outputs are counted in 32 bits.
constexpr int64_t kMostNormPixels = 0x7ff00000;  // room for the last step of a thread

struct NormForward {
  const void *x, *weight, *bias;
  void *running_mean, *running_var;  // read in evaluation, moved in training
  double *mean, *invstd;             // written: what was used
  void* y;
};

struct NormBackward {
  const void *x, *weight, *bias;
  const double *mean, *invstd;
  const void* grad_y;
  void *grad_x, *grad_weight, *grad_bias;  // overwritten; a null grad_x is not computed
};

/// Bytes of device workspace (16-byte aligned) that either call needs.
size_t norm_workspace(const NormPoolProblem& problem);

void norm_relu_pool(const NormPoolProblem& problem, const NormSettings& settings, const NormForward& arguments,
                    void* workspace, DataType type, cudaStream_t stream);
void norm_relu_pool_backward(const NormPoolProblem& problem, bool training, const NormBackward& arguments,
                             void* workspace, DataType type, cudaStream_t stream);

}  // namespace scdcf::ops::cuda
