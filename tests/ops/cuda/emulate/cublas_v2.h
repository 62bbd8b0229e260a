// CPU stand-in for the part of cuBLAS that the kernels and their tests use; emulate.cpp has the functions.
#pragma once

#include <cuda_runtime_api.h>
#include <library_types.h>

#include "scdcf/ops/cuda/blas_handle.h"

enum cublasStatus_t { CUBLAS_STATUS_SUCCESS = 0 };
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
enum cublasMath_t { CUBLAS_DEFAULT_MATH = 0, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16 };
enum cublasComputeType_t { CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_64F };
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT };

cublasStatus_t cublasCreate(cublasHandle_t* handle);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* workspace, size_t bytes);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);

/// C = alpha * left(A) * right(B) + beta * C; matrices by columns, ld. numbers from one column to the next.
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t left, cublasOperation_t right, int m, int n, int k,
                            const void* alpha, const void* a, cudaDataType_t a_type, int lda, const void* b,
                            cudaDataType_t b_type, int ldb, const void* beta, void* c, cudaDataType_t c_type, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
/// `count` such products; the matrices of the next lie step numbers on.
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t left, cublasOperation_t right, int m,
                                          int n, int k, const void* alpha, const void* a, cudaDataType_t a_type,
                                          int lda, long long a_step, const void* b, cudaDataType_t b_type, int ldb,
                                          long long b_step, const void* beta, void* c, cudaDataType_t c_type, int ldc,
                                          long long c_step, int count, cublasComputeType_t compute,
                                          cublasGemmAlgo_t algorithm);
