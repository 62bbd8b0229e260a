// How matrices and maps of shared_backward.h are laid out for its products.
#pragma once

#include "scdcf/ops/cuda/problem/device_problem.h"

namespace scdcf::ops::cuda {

/// matrices [k][o][mixing][c] of the type, from mixing [mixing][k][c][o].
void turn_mixing(const DeviceProblem& p, const float* mixing, void* matrices, DataType type, cudaStream_t stream);
/// The other way round: the gradient.
void turn_gradient(const DeviceProblem& p, const float* sums, float* grad_mixing, cudaStream_t stream);

/// maps [image][scale][pixel][mixing][c]: the planes that scales read through the matrices, zero where they do not.
void gather_planes(const DeviceProblem& p, const void* in, void* maps, int images, DataType type, cudaStream_t stream);
/// Adds up such maps into the planes.
void add_planes(const DeviceProblem& p, const void* maps, void* grad_in, int images, DataType type,
                cudaStream_t stream);

}  // namespace scdcf::ops::cuda
