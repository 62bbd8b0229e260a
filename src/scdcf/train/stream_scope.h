// A CUDA stream for as long as the object lives: runs that share a card overlap.
#pragma once

#include <c10/core/Device.h>

#ifdef SCDCF_WITH_CUDA
#  include <c10/cuda/CUDAGuard.h>
#  include <c10/cuda/CUDAStream.h>

#  include <optional>
#endif

namespace scdcf::train {

class StreamScope {
 public:
  explicit StreamScope([[maybe_unused]] c10::Device device) {
#ifdef SCDCF_WITH_CUDA
    if (device.is_cuda()) guard_.emplace(c10::cuda::getStreamFromPool(false, device.index()));
#endif
  }

#ifdef SCDCF_WITH_CUDA
 private:
  std::optional<c10::cuda::CUDAStreamGuard> guard_;
#endif
};

}  // namespace scdcf::train
