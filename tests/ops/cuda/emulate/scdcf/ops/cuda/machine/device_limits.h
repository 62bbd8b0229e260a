// CPU stand-in for device_limits.h: a small device, so that work takes several waves of blocks and several chunks.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "scdcf/core/error.h"

namespace scdcf::ops::cuda {

constexpr int kClusterSize = 1;
constexpr int64_t kMostExpandedBytes = 100000;  // several chunks of images, the last one smaller

inline void check(cudaError_t status, const char* what) { require(status == cudaSuccess, what); }
inline int current_device() { return 0; }
inline int multiprocessors() { return 4; }
inline int shared_memory_limit() { return 232448; }

}  // namespace scdcf::ops::cuda
