// The element types that the CUDA kernels take.
#pragma once

namespace scdcf::ops::cuda {

enum class DataType { float32, bfloat16, float64 };

constexpr int element_size(DataType type) { return type == DataType::bfloat16 ? 2 : type == DataType::float32 ? 4 : 8; }
/// Of parameters and of sums.
constexpr int sum_size(DataType type) { return type == DataType::float64 ? 8 : 4; }

}  // namespace scdcf::ops::cuda
