#include "scdcf/ops/cuda/expanded/products.h"

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

}  // namespace

Products::Products(cublasHandle_t blas, DataType type, Precision precision) : blas_(blas) {
  require(blas != nullptr, "CUDA: matrix product: got a null handle of cuBLAS");
  type_ = type == DataType::float64 ? CUDA_R_64F : type == DataType::float32 ? CUDA_R_32F : CUDA_R_16BF;
  sum_type_ = type == DataType::float64 ? CUDA_R_64F : CUDA_R_32F;
  const bool tf32 = type == DataType::float32 && precision == Precision::tf32;
  compute_ = type == DataType::float64 ? CUBLAS_COMPUTE_64F : tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  check_blas(cublasGetMathMode(blas_, &mode_));
  // Another mode could make TF32 of float32, and add partial sums in bfloat16.
  check_blas(cublasSetMathMode(
      blas_, static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)));
}

Products::~Products() { cublasSetMathMode(blas_, mode_); }

// cuBLAS counts by columns: it sees the transpose of each matrix, and the product in the other order.

void Products::forward(int64_t rows, int64_t depth, int64_t out, const void* expanded, const void* stack, void* map,
                       int64_t count, int64_t map_step) const {
  const int o = size_of(out), d = size_of(depth);
  check_blas(cublasGemmStridedBatchedEx(blas_, CUBLAS_OP_N, CUBLAS_OP_N, o, size_of(rows), d,
                                        kScalars.get(true, sum_type_), stack, type_, o, 0, expanded, type_, d,
                                        rows * depth, kScalars.get(false, sum_type_), map, type_, o, map_step,
                                        size_of(count), compute_, CUBLAS_GEMM_DEFAULT));
}

void Products::adjoint(int64_t rows, int64_t depth, int64_t out, const void* map, const void* stack, void* expanded,
                       int64_t count, int64_t map_step) const {
  const int o = size_of(out), d = size_of(depth);
  check_blas(cublasGemmStridedBatchedEx(blas_, CUBLAS_OP_T, CUBLAS_OP_N, d, size_of(rows), o,
                                        kScalars.get(true, sum_type_), stack, type_, o, 0, map, type_, o, map_step,
                                        kScalars.get(false, sum_type_), expanded, type_, d, rows * depth,
                                        size_of(count), compute_, CUBLAS_GEMM_DEFAULT));
}

void Products::gradient(int64_t rows, int64_t depth, int64_t out, const void* expanded, const void* map, void* gradient,
                        bool add) const {
  const int o = size_of(out), d = size_of(depth);
  check_blas(cublasGemmEx(blas_, CUBLAS_OP_N, CUBLAS_OP_T, o, d, size_of(rows), kScalars.get(true, sum_type_), map,
                          type_, o, expanded, type_, d, kScalars.get(add, sum_type_), gradient, sum_type_, o, compute_,
                          CUBLAS_GEMM_DEFAULT));
}

}  // namespace scdcf::ops::cuda
