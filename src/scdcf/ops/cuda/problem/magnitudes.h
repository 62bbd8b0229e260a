// How large the numbers of a problem are: half precision holds them only when they are scaled (number_format.cuh).
#pragma once

#include "scdcf/ops/cuda/problem/device_problem.h"

namespace scdcf::ops::cuda {

/// In device memory: the bits of the largest of each. Only maps of float32 are scaled.
struct Magnitudes {
  uint32_t in, grad_out, mixing, row_factors, column_factors;  // of the factors: the largest sum of one's taps
};

/// Null maps are left out.
void measure_magnitudes(const DeviceProblem& p, const float* in, const float* grad_out, const float* factors,
                        const float* mixing, Magnitudes* magnitudes, cudaStream_t stream);

/// The adjoint of replicated borders: a border pixel of the input takes the taps of 2^bits outputs beyond it at most.
inline int border_bits(const DeviceProblem& p) {
  int bits = 0;
  while (p.replicate && 1 << bits < p.max_radius() + 1) ++bits;
  return bits;
}

}  // namespace scdcf::ops::cuda
