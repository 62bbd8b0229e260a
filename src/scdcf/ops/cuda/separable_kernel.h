// The separable joint convolution on a CUDA device: torch-free host interface.
//
// Every function enqueues kernels and matrix products on `stream` and returns: no synchronisation, no allocation, so
// calls can be captured in a CUDA graph (call once outside the capture first: that raises shared-memory limits). `blas`
// is bound to the same stream. Results are deterministic: sums run in a fixed order. The problem travels by value in
// the kernel parameters, hence the limits below; a problem beyond them, a null pointer or a CUDA error throws an Error.
//
//   data      in, out, grads    factors   mixing    grad_mixing   arithmetic
//   float32   float             float     float     float         fp32: about 1e-6; tf32: about 5e-4
//   bfloat16  bf16 (16 bit)     float     float     float         bf16 operands in the mix, tf32 or more in the passes
//   float64   double            double    double    double        double throughout
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "scdcf/ops/cuda/blas_handle.h"
#include "scdcf/ops/cuda/data_type.h"
#include "scdcf/ops/separable_problem.h"

namespace scdcf::ops::cuda {

constexpr int kMaxScales = 32, kMaxSources = 160, kMaxModes = 64, kMaxPlanes = 64, kMaxMixings = 160;

enum class Precision { fp32, tf32 };  // read for float32 data only

/// Bytes of device workspace (16-byte aligned) that the calls below need for this problem on the current device.
size_t forward_workspace(const SeparableProblem& problem, DataType type, Precision precision);
size_t backward_workspace(const SeparableProblem& problem, DataType type, Precision precision, bool grad_in,
                          bool grad_mixing);

void forward(const SeparableProblem& problem, const void* in, const void* factors, const void* mixing, void* out,
             void* workspace, DataType type, Precision precision, cudaStream_t stream, cublasHandle_t blas);

/// A null grad_in or grad_mixing is not computed; what is given is overwritten, not added to.
void backward(const SeparableProblem& problem, const void* in, const void* factors, const void* mixing,
              const void* grad_out, void* grad_in, void* grad_mixing, void* workspace, DataType type,
              Precision precision, cudaStream_t stream, cublasHandle_t blas);

/// How forward, gradient of the input and gradient of the mixing of this problem are done on the current device: names
/// of forms as in separable_kernel.cpp, with slashes between them.
std::string forms(const SeparableProblem& problem, DataType type, Precision precision);

}  // namespace scdcf::ops::cuda
