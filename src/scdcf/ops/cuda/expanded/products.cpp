#include "scdcf/ops/cuda/expanded/products.h"

#include <cublas_v2.h>

#include "scdcf/core/error.h"

namespace scdcf::ops::cuda {
namespace {

void check_blas(cublasStatus_t status) {
  require(status == CUBLAS_STATUS_SUCCESS, "CUDA: matrix product: got cuBLAS status ", static_cast<int>(status),
          ", expected success");
}

int size_of(int64_t x) {
  require(x < (int64_t{1} << 31), "CUDA: matrix product: got a side of ", x, ", expected at most 2^31 - 1");
  return static_cast<int>(x);
}

/// One and zero in the type of the sums.
struct Scalars {
  float one = 1, zero = 0;
  double one_double = 1, zero_double = 0;
  const void* get(bool value, cudaDataType_t type) const {
    if (type == CUDA_R_64F) return value ? &one_double : &zero_double;
    return value ? &one : &zero;
  }
};
constexpr Scalars kScalars;

struct Arithmetic {
  cudaDataType_t type, sum_type;
  cublasComputeType_t compute;
};

Arithmetic arithmetic_of(DataType type, Precision precision) {
  if (type == DataType::float64) return {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F};
  if (type == DataType::bfloat16) return {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F};
  return {CUDA_R_32F, CUDA_R_32F, precision == Precision::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F};
}

}  // namespace

Products::Products(cublasHandle_t blas, DataType type, Precision precision)
    : blas_(blas), type_(type), precision_(precision) {
  require(blas != nullptr, "CUDA: matrix product: got a null handle of cuBLAS");
  cublasMath_t mode;
  check_blas(cublasGetMathMode(blas_, &mode));
  mode_ = mode;
  // Another mode could make TF32 of float32, and add partial sums in bfloat16.
  check_blas(cublasSetMathMode(
      blas_, static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)));
}

Products::~Products() { cublasSetMathMode(blas_, static_cast<cublasMath_t>(mode_)); }

// cuBLAS counts by columns: it sees the transpose of each matrix, and the product in the other order.

void Products::forward(int64_t rows, int64_t depth, int64_t out, const void* expanded, const void* stack, void* map,
                       int64_t count, int64_t map_step) const {
  const int o = size_of(out), d = size_of(depth);
  const auto [type, sum_type, compute] = arithmetic_of(type_, precision_);
  check_blas(cublasGemmStridedBatchedEx(blas_, CUBLAS_OP_N, CUBLAS_OP_N, o, size_of(rows), d,
                                        kScalars.get(true, sum_type), stack, type, o, 0, expanded, type, d,
                                        rows * depth, kScalars.get(false, sum_type), map, type, o, map_step,
                                        size_of(count), compute, CUBLAS_GEMM_DEFAULT));
}

void Products::adjoint(int64_t rows, int64_t depth, int64_t out, const void* map, const void* stack, void* expanded,
                       int64_t count, int64_t map_step) const {
  const int o = size_of(out), d = size_of(depth);
  const auto [type, sum_type, compute] = arithmetic_of(type_, precision_);
  check_blas(cublasGemmStridedBatchedEx(blas_, CUBLAS_OP_T, CUBLAS_OP_N, d, size_of(rows), o,
                                        kScalars.get(true, sum_type), stack, type, o, 0, map, type, o, map_step,
                                        kScalars.get(false, sum_type), expanded, type, d, rows * depth, size_of(count),
                                        compute, CUBLAS_GEMM_DEFAULT));
}

void Products::gradient(int64_t rows, int64_t depth, int64_t out, const void* expanded, const void* map, void* gradient,
                        bool add) const {
  const int o = size_of(out), d = size_of(depth);
  const auto [type, sum_type, compute] = arithmetic_of(type_, precision_);
  check_blas(cublasGemmEx(blas_, CUBLAS_OP_N, CUBLAS_OP_T, o, d, size_of(rows), kScalars.get(true, sum_type), map, type,
                          o, expanded, type, d, kScalars.get(add, sum_type), gradient, sum_type, o, compute,
                          CUBLAS_GEMM_DEFAULT));
}

}  // namespace scdcf::ops::cuda
