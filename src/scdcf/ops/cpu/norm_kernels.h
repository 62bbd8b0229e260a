// What each SIMD level provides for batch-norm, ReLU and pooling: the loops over a range of pixels or rows.
#pragma once

#include <cstdint>

#include "scdcf/ops/norm_relu_pool_problem.h"

namespace scdcf::ops::cpu::detail {

/// A row is a row of pixels of one plane, counted through all planes. Sums are [2][channels], added to.
template <class T>
struct NormKernels {
  /// Sums of x - x[0] and of its square over the pixels begin .. end - 1, x[0] being the first pixel of all.
  void (*statistics)(const NormPoolProblem&, const T* x, int64_t begin, int64_t end, double* sums);
  /// Rows begin .. end - 1 of y.
  void (*forward)(const NormPoolProblem&, const T* x, const T* coefficients, T* y, int64_t begin, int64_t end);
  /// Sums of g and g * (x - centre), g being the gradient behind the ReLU, over the windows of rows begin .. end - 1 of
  /// grad_y, and over what is taken off.
  void (*gradient_sums)(const NormPoolProblem&, const T* x, const T* coefficients, const T* grad_y, int64_t begin,
                        int64_t end, double* sums);
  /// Rows begin .. end - 1 of grad_x.
  void (*backward)(const NormPoolProblem&, const T* x, const T* coefficients, const T* grad_y, T* grad_x, int64_t begin,
                   int64_t end);
};

}  // namespace scdcf::ops::cpu::detail
