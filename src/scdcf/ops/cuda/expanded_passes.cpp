#include "scdcf/ops/cuda/expanded_passes.h"

namespace scdcf::ops::cuda {

ExpandedPasses plan_passes(const DeviceProblem& p, DataType type, Precision precision, bool adjoint) {
  ExpandedPasses passes{};
  if (type == DataType::float64) {
    passes.sliding = adjoint ? plan_collect(p) : plan_expand(p);
    return passes;
  }
  passes.matrix = adjoint ? plan_matrix_collect(p, type, precision) : plan_matrix_expand(p, type, precision);
  passes.bank_bytes = passes.matrix.row_bytes(p.scale_count) + passes.matrix.column_bytes(p.scale_count);
  return passes;
}

PassRunner::PassRunner(const DeviceProblem& p, const ExpandedPasses& passes, const void* factors, char* banks,
                       DataType type, cudaStream_t stream)
    : p_(p),
      passes_(passes),
      factors_(factors),
      row_(reinterpret_cast<uint4*>(banks)),
      column_(type != DataType::float64 ? row_ + passes.matrix.row_bytes(p.scale_count) / sizeof(uint4) : nullptr),
      type_(type),
      stream_(stream) {
  if (type == DataType::float64) return;
  const auto* numbers = static_cast<const float*>(factors);
  build_matrix_bank(p, passes.matrix.row, true, numbers, row_, stream);
  build_matrix_bank(p, passes.matrix.column, false, numbers, column_, stream);
}

void PassRunner::expand(const ExpandedPlaces& places, const void* in, void* expanded, int first_image,
                        int images) const {
  if (type_ == DataType::float64)
    cuda::expand(p_, passes_.sliding, places, static_cast<const double*>(in), static_cast<const double*>(factors_),
                 static_cast<double*>(expanded), first_image, images, stream_);
  else
    matrix_expand(p_, passes_.matrix, places, in, row_, column_, expanded, first_image, images, type_, stream_);
}

void PassRunner::collect(const ExpandedPlaces& places, const void* expanded, void* grad_in, int first_image,
                         int images) const {
  if (type_ == DataType::float64)
    cuda::collect(p_, passes_.sliding, places, static_cast<const double*>(expanded),
                  static_cast<const double*>(factors_), static_cast<double*>(grad_in), first_image, images, stream_);
  else
    matrix_collect(p_, passes_.matrix, places, expanded, row_, column_, grad_in, first_image, images, type_, stream_);
}

}  // namespace scdcf::ops::cuda
