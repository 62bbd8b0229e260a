// Plain loops, one thread per output number: float64, and the fallback for shapes the tiled kernels do not hold.
#pragma once

#include "scdcf/ops/cuda/device_problem.h"

namespace scdcf::ops::cuda {

void naive_forward(const DeviceProblem& p, const void* in, const void* factors, const void* mixing, void* out,
                   DataType type, cudaStream_t stream);
void naive_grad_in(const DeviceProblem& p, const void* grad_out, const void* factors, const void* mixing, void* grad_in,
                   DataType type, cudaStream_t stream);
void naive_grad_mixing(const DeviceProblem& p, const void* in, const void* factors, const void* grad_out,
                       void* grad_mixing, DataType type, cudaStream_t stream);

}  // namespace scdcf::ops::cuda
