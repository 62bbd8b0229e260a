// What the host asks of the current device before it plans or launches.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "scdcf/core/error.h"

namespace scdcf::ops::cuda {

constexpr int kClusterSize = 2;  // blocks that share what they fetch
/// Workspace for the maps of the expanded form, unless a single image needs more.
constexpr int64_t kMostExpandedBytes = int64_t{512} << 20;

inline void check(cudaError_t status, const char* what) {
  require(status == cudaSuccess, "CUDA: ", what, ": got \"", cudaGetErrorString(status), "\", expected success");
}

inline int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "device");
  return device;
}
inline int device_attribute(cudaDeviceAttr attribute) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, attribute, current_device()), "device attribute");
  return value;
}
inline int multiprocessors() { return device_attribute(cudaDevAttrMultiProcessorCount); }
inline int shared_memory_limit() { return device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin); }

}  // namespace scdcf::ops::cuda
