// How the passes of the expanded form are done: as products on tensor cores (matrix_passes.h), or, in double, by
// sliding sums (expand.h).
#pragma once

#include "scdcf/ops/cuda/expanded/expand.h"
#include "scdcf/ops/cuda/expanded/matrix_passes.h"

namespace scdcf::ops::cuda {

struct ExpandedPasses {
  bool products;
  MatrixTile matrix;
  ExpandTile sliding;
  size_t bank_bytes;  // of workspace
};

bool passes_are_products(DataType type, Precision precision);
/// adjoint: collect, else expand.
ExpandedPasses plan_passes(const DeviceProblem& p, DataType type, Precision precision, bool adjoint);

/// Passes with the factors of one call; `banks` is its workspace.
class PassRunner {
 public:
  PassRunner(const DeviceProblem& p, const ExpandedPasses& passes, const void* factors, char* banks, DataType type,
             cudaStream_t stream);
  /// Z of images [first_image, first_image + images).
  void expand(const ExpandedPlaces& places, const void* in, void* expanded, int first_image, int images) const;
  /// Overwrites these images of grad_in.
  void collect(const ExpandedPlaces& places, const void* expanded, void* grad_in, int first_image, int images) const;

 private:
  const DeviceProblem& p_;
  const ExpandedPasses& passes_;
  const void* factors_;
  uint4 *row_, *column_;
  DataType type_;
  cudaStream_t stream_;
};

}  // namespace scdcf::ops::cuda
