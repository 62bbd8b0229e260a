// Batch-norm, ReLU and average pooling on the CPU, free of torch: the function that ops/norm_relu_pool_problem.h
// defines and its gradient, for float and double.
//
// Forward: one read of x for the statistics, one read and a small write for the result; backward: one read of x and of
// the small gradient for two sums per channel, one read and one write for grad_x.
//
// Invariant: work is cut at places that do not depend on the number of threads, so results do not either.
#pragma once

#include "scdcf/ops/cpu/separable_kernel.h"
#include "scdcf/ops/norm_relu_pool_problem.h"

namespace scdcf::ops::cpu {

/// Overwrites y, mean and invstd [channels]; in training also moves the running statistics [channels]. No pixels: no
/// statistics, and nothing changes.
template <class T>
void norm_relu_pool(const NormPoolProblem& problem, const NormSettings& settings, const T* x, const T* weight,
                    const T* bias, T* running_mean, T* running_var, T* y, double* mean, double* invstd,
                    const Parallel& parallel);

/// Overwrites grad_x, which may be null, and grad_weight and grad_bias [channels].
template <class T>
void norm_relu_pool_backward(const NormPoolProblem& problem, bool training, const T* x, const T* weight, const T* bias,
                             const double* mean, const double* invstd, const T* grad_y, T* grad_x, T* grad_weight,
                             T* grad_bias, const Parallel& parallel);

}  // namespace scdcf::ops::cpu
