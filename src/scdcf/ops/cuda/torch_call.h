// What Torch's side of every CUDA kernel needs.
#pragma once

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>

#include "scdcf/ops/cuda/data_type.h"

namespace scdcf::ops::cuda {

/// Of a map that ops/checks.h has let through.
inline DataType data_type(const at::Tensor& map) {
  return map.scalar_type() == at::kDouble     ? DataType::float64
         : map.scalar_type() == at::kBFloat16 ? DataType::bfloat16
                                              : DataType::float32;
}

inline at::Tensor workspace(size_t bytes, const at::Tensor& map) {
  return at::empty({static_cast<int64_t>(bytes)}, map.options().dtype(at::kByte));
}

inline void* pointer_or_null(const at::Tensor& tensor) { return tensor.defined() ? tensor.data_ptr() : nullptr; }

}  // namespace scdcf::ops::cuda
