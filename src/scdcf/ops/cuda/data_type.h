// The element types that the CUDA kernels take.
#pragma once

namespace scdcf::ops::cuda {

enum class DataType { float32, bfloat16, float64 };

}  // namespace scdcf::ops::cuda
