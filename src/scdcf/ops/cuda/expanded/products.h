// The matrix products of the expanded form, through cuBLAS. Matrices are dense, by rows:
//   maps [rows][out] = Z [rows][depth] * stack [depth][out]; the two others are its adjoints.
//
// The kind of arithmetic is said with every call, not by the handle's mode: TF32 where precision says so, else the
// type's own; sums are float32 (double for float64).
#pragma once

#include <cstdint>

#include "scdcf/ops/cuda/separable_kernel.h"

namespace scdcf::ops::cuda {

class Products {
 public:
  /// Puts the handle's mode back when it goes.
  Products(cublasHandle_t blas, DataType type, Precision precision);
  ~Products();
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  /// `count` such products with one stack; the next map begins map_step numbers on, the next Z right behind the last.
  void forward(int64_t rows, int64_t depth, int64_t out, const void* expanded, const void* stack, void* map,
               int64_t count, int64_t map_step) const;
  void adjoint(int64_t rows, int64_t depth, int64_t out, const void* map, const void* stack, void* expanded,
               int64_t count, int64_t map_step) const;
  /// gradient [depth][out] of float (double for float64) = Z^T * map, or += with `add`.
  void gradient(int64_t rows, int64_t depth, int64_t out, const void* expanded, const void* map, void* gradient,
                bool add) const;

 private:
  cublasHandle_t blas_;
  DataType type_;
  Precision precision_;
  int mode_;  // cublasMath_t of the handle before
};

}  // namespace scdcf::ops::cuda
