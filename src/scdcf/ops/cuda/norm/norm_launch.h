// The steps of batch-norm, ReLU and pooling, each one launch. norm_relu_pool.cpp puts them together.
#pragma once

#include "scdcf/ops/cuda/norm/norm_relu_pool.h"

namespace scdcf::ops::cuda {

/// Two sums per channel over at most this many chunks of pixels, which one block adds up afterwards.
constexpr int kMostChunks = 512;

/// Device memory between the launches: parts [channels][2][kMostChunks], coefficients [kNormCoefficients][channels] of
/// the arithmetic's type.
struct NormSpace {
  double* parts;
  void* coefficients;
};

/// Sums of x - x[0] and of its square. Returns the number of chunks.
int sum_statistics(const NormPoolProblem& problem, const void* x, double* parts, DataType type, cudaStream_t stream);
/// Sums of the gradient g behind the ReLU and of g * (x - centre), what is taken off included. Returns the number of
/// chunks.
int sum_gradients(const NormPoolProblem& problem, const NormBackward& arguments, double* parts, DataType type,
                  cudaStream_t stream);

/// From the sums to the statistics and the coefficients of the forward; zero chunks take the running statistics.
void finish_statistics(const NormPoolProblem& problem, const NormSettings& settings, const NormForward& arguments,
                       const NormSpace& space, int chunks, DataType type, cudaStream_t stream);
/// From the sums to the parameters' gradients and the coefficients of the backward.
void finish_gradients(const NormPoolProblem& problem, bool training, const NormBackward& arguments,
                      const NormSpace& space, int chunks, DataType type, cudaStream_t stream);

void map_forward(const NormPoolProblem& problem, const void* x, const void* coefficients, void* y, DataType type,
                 cudaStream_t stream);
void map_backward(const NormPoolProblem& problem, const void* x, const void* coefficients, const void* grad_y,
                  void* grad_x, DataType type, cudaStream_t stream);

}  // namespace scdcf::ops::cuda
