#include "scdcf/train/replay.h"

#ifdef SCDCF_WITH_CUDA
#  include <ATen/cuda/CUDAGraph.h>
#  include <c10/cuda/CUDAFunctions.h>
#  include <c10/cuda/CUDAGuard.h>
#  include <c10/cuda/CUDAStream.h>

#  include "scdcf/train/device_work.h"
#endif

namespace scdcf::train {

#ifdef SCDCF_WITH_CUDA
struct Replay::Graph {
  at::cuda::CUDAGraph graph;

  explicit Graph(const std::function<void()>& work) {
    const train::DeviceCapture alone;  // others may replay meanwhile, but not allocate
    c10::cuda::device_synchronize();
    const c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
    for (int i = 0; i < 3; ++i) work();  // caches, autotuners and shared-memory limits settle outside the capture
    c10::cuda::device_synchronize();
    graph.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    work();
    graph.capture_end();
    c10::cuda::device_synchronize();
  }
};
#else
struct Replay::Graph {};
#endif

Replay::Replay(std::function<void()> work, [[maybe_unused]] c10::Device device) : work_(std::move(work)) {
#ifdef SCDCF_WITH_CUDA
  if (device.is_cuda()) graph_ = std::make_unique<Graph>(work_);
#endif
}

Replay::~Replay() = default;
Replay::Replay(Replay&&) noexcept = default;

void Replay::run() {
#ifdef SCDCF_WITH_CUDA
  if (graph_ != nullptr) return graph_->graph.replay();
#endif
  work_();
}

}  // namespace scdcf::train
