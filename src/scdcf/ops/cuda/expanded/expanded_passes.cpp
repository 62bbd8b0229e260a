#include "scdcf/ops/cuda/expanded/expanded_passes.h"

namespace scdcf::ops::cuda {

bool passes_are_products(DataType type, Precision precision) {
  return type == DataType::bfloat16 || (type == DataType::float32 && precision == Precision::tf32);
}

ExpandedPasses plan_passes(const DeviceProblem& p, DataType type, Precision precision, bool adjoint) {
  ExpandedPasses passes{};
  passes.products = passes_are_products(type, precision);
  if (!passes.products) {
    passes.sliding = adjoint ? plan_collect(p, type) : plan_expand(p, type);
    return passes;
  }
  passes.matrix = adjoint ? plan_matrix_collect(p, type) : plan_matrix_expand(p, type);
  passes.bank_bytes = passes.matrix.row_bytes(p.scale_count) + passes.matrix.column_bytes(p.scale_count);
  return passes;
}

PassRunner::PassRunner(const DeviceProblem& p, const ExpandedPasses& passes, const void* factors, char* banks,
                       DataType type, cudaStream_t stream)
    : p_(p),
      passes_(passes),
      factors_(factors),
      row_(reinterpret_cast<uint4*>(banks)),
      column_(passes.products ? row_ + passes.matrix.row_bytes(p.scale_count) / sizeof(uint4) : nullptr),
      type_(type),
      stream_(stream) {
  if (!passes.products) return;
  const auto* numbers = static_cast<const float*>(factors);
  build_matrix_bank(p, passes.matrix.row, true, numbers, row_, stream);
  build_matrix_bank(p, passes.matrix.column, false, numbers, column_, stream);
}

void PassRunner::expand(const ExpandedPlaces& places, const void* in, void* expanded, int first_image,
                        int images) const {
  if (passes_.products)
    matrix_expand(p_, passes_.matrix, places, in, row_, column_, expanded, first_image, images, type_, stream_);
  else
    cuda::expand(p_, passes_.sliding, places, in, factors_, expanded, first_image, images, type_, stream_);
}

void PassRunner::collect(const ExpandedPlaces& places, const void* expanded, void* grad_in, int first_image,
                         int images) const {
  if (passes_.products)
    matrix_collect(p_, passes_.matrix, places, expanded, row_, column_, grad_in, first_image, images, type_, stream_);
  else
    cuda::collect(p_, passes_.sliding, places, expanded, factors_, grad_in, first_image, images, type_, stream_);
}

}  // namespace scdcf::ops::cuda
