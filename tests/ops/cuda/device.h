// Device buffers that hold a host vector of doubles in a chosen type, and one run of the library on them.
#pragma once

#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "reference.h"
#include "scdcf/ops/cuda/separable_kernel.h"

namespace cuda_kernels {

using scdcf::ops::cuda::DataType;
using scdcf::ops::cuda::Precision;

#define MUST(call)                                                                                    \
  do {                                                                                                \
    const cudaError_t status_ = (call);                                                               \
    if (status_ != cudaSuccess) {                                                                     \
      std::fprintf(stderr, "%s:%d %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status_)); \
      std::exit(2);                                                                                   \
    }                                                                                                 \
  } while (0)

inline int bytes_of(DataType t) { return t == DataType::float64 ? 8 : t == DataType::float32 ? 4 : 2; }

inline void encode(DataType t, double x, char* at) {
  if (t == DataType::float64) {
    std::memcpy(at, &x, 8);
    return;
  }
  const float f = float(x);
  if (t == DataType::float32) {
    std::memcpy(at, &f, 4);
    return;
  }
  const __nv_bfloat16 b = __float2bfloat16(f);
  std::memcpy(at, &b, 2);
}

inline double decode(DataType t, const char* at) {
  if (t == DataType::float64) {
    double x;
    std::memcpy(&x, at, 8);
    return x;
  }
  if (t == DataType::float32) {
    float x;
    std::memcpy(&x, at, 4);
    return x;
  }
  __nv_bfloat16 b;
  std::memcpy(&b, at, 2);
  return __bfloat162float(b);
}

/// Rounds to the type, so that the reference sees what the device sees.
inline Values rounded(DataType t, Values v) {
  char at[8];
  for (double& x : v) encode(t, x, at), x = decode(t, at);
  return v;
}

class Buffer {
 public:
  explicit Buffer(size_t bytes) : bytes_(bytes) {
    if (bytes) MUST(cudaMalloc(&data_, bytes));
  }
  Buffer(DataType t, const Values& v) : Buffer(v.size() * bytes_of(t)) {
    std::vector<char> host(bytes_);
    for (size_t i = 0; i < v.size(); ++i) encode(t, v[i], host.data() + i * bytes_of(t));
    if (bytes_) MUST(cudaMemcpy(data_, host.data(), bytes_, cudaMemcpyHostToDevice));
  }
  Buffer(const Buffer&) = delete;
  ~Buffer() {
    if (data_) cudaFree(data_);
  }
  void poison() {
    if (bytes_) MUST(cudaMemset(data_, 0xff, bytes_));
  }  // NaN in every type
  std::vector<char> raw() const {
    std::vector<char> host(bytes_);
    if (bytes_) MUST(cudaMemcpy(host.data(), data_, bytes_, cudaMemcpyDeviceToHost));
    return host;
  }
  Values values(DataType t) const {
    const std::vector<char> host = raw();
    Values v(bytes_ / bytes_of(t));
    for (size_t i = 0; i < v.size(); ++i) v[i] = decode(t, host.data() + i * bytes_of(t));
    return v;
  }
  void* get() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  size_t bytes_;
};

/// cuBLAS on a stream, with memory of its own: the same choice of algorithm inside a graph and outside.
inline cublasHandle_t blas_on(cudaStream_t stream) {
  constexpr size_t bytes = size_t{32} << 20;
  static const cublasHandle_t handle = [] {
    cublasHandle_t made = nullptr;
    if (cublasCreate(&made) != CUBLAS_STATUS_SUCCESS) std::fprintf(stderr, "cublasCreate failed\n"), std::exit(2);
    return made;
  }();
  static Buffer memory(bytes);
  if (cublasSetStream(handle, stream) != CUBLAS_STATUS_SUCCESS ||
      cublasSetWorkspace(handle, memory.get(), bytes) != CUBLAS_STATUS_SUCCESS)
    std::fprintf(stderr, "cuBLAS cannot be bound to a stream\n"), std::exit(2);
  return handle;
}

struct Mode {
  const char* name;
  DataType type;
  Precision precision;
  double tolerance;
};
constexpr Mode kModes[] = {{"fp32", DataType::float32, Precision::fp32, 1e-5},
                           {"tf32", DataType::float32, Precision::tf32, 2e-3},
                           {"bf16", DataType::bfloat16, Precision::tf32, 1e-2},
                           {"fp64", DataType::float64, Precision::fp32, 1e-12}};

inline DataType weight_type(DataType t) { return t == DataType::float64 ? t : DataType::float32; }

}  // namespace cuda_kernels
