// The handle of cuBLAS, so that only products.cpp, which calls it, needs cuBLAS's headers: a bare CUDA compiler has
// none.
#pragma once

struct cublasContext;
using cublasHandle_t = cublasContext*;  // the same type as in cublas_v2.h
