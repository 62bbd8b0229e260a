#include "scdcf/train/device.h"

#include <torch/torch.h>

#include "scdcf/core/error.h"

#ifdef SCDCF_WITH_CUDA
#  include <c10/cuda/CUDAGuard.h>
#  include <cuda_runtime_api.h>
#endif

namespace scdcf::train {

torch::Device device_of(const std::string& name) {
  if (name == "cpu") return torch::kCPU;
  const bool numbered = name.rfind("cuda:", 0) == 0 && name.size() > 5 && name.size() < 9 &&
                        name.find_first_not_of("0123456789", 5) == std::string::npos;
  require(name == "cuda" || numbered, "device: got \"", name, "\", expected cpu, cuda or cuda:N");
  const int index = numbered ? std::stoi(name.substr(5)) : 0;
  const int found = torch::cuda::is_available() ? static_cast<int>(torch::cuda::device_count()) : 0;
  require(index < found, "device: got \"", name, "\", but this machine has ", found, " usable GPUs");
  return {torch::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

int64_t free_memory([[maybe_unused]] torch::Device device) {
  size_t free = 0;
#ifdef SCDCF_WITH_CUDA
  size_t all = 0;
  const c10::cuda::CUDAGuard on_device(device);
  C10_CUDA_CHECK(cudaMemGetInfo(&free, &all));
#endif
  return static_cast<int64_t>(free);
}

}  // namespace scdcf::train
