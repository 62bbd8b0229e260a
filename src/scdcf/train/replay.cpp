#include "scdcf/train/replay.h"

#ifdef SCDCF_WITH_CUDA
#  include <ATen/cuda/CUDAGraph.h>
#  include <c10/cuda/CUDAFunctions.h>

#  include "scdcf/train/device_work.h"
#  include "scdcf/train/stream_scope.h"
#endif

namespace scdcf::train {

#ifdef SCDCF_WITH_CUDA
struct Replay::Graph {
  at::cuda::CUDAGraph graph;

  Graph(const std::function<void()>& work, torch::Device device, const std::vector<torch::Tensor>& changed,
        const at::Generator& generator) {
    const DeviceCapture alone;  // others may replay meanwhile, but not allocate
    c10::cuda::device_synchronize();
    const StreamScope own_stream(device);  // a capture needs one; replays run on the caller's
    std::vector<torch::Tensor> before;
    {
      const torch::NoGradGuard no_grad;
      for (const auto& tensor : changed) before.push_back(tensor.clone());
    }
    for (int i = 0; i < 3; ++i) work();  // caches, autotuners and shared-memory limits settle outside the capture
    c10::cuda::device_synchronize();
    {
      const torch::NoGradGuard no_grad;
      for (size_t i = 0; i < changed.size(); ++i) changed[i].copy_(before[i]);
    }
    c10::cuda::device_synchronize();
    if (generator.defined()) graph.register_generator_state(generator);
    graph.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    work();
    graph.capture_end();
  }
};
#else
struct Replay::Graph {};
#endif

Replay::Replay(std::function<void()> work, [[maybe_unused]] torch::Device device,
               [[maybe_unused]] const std::vector<torch::Tensor>& changed,
               [[maybe_unused]] const at::Generator& generator)
    : work_(std::move(work)) {
#ifdef SCDCF_WITH_CUDA
  if (device.is_cuda()) graph_ = std::make_unique<Graph>(work_, device, changed, generator);
#endif
}

Replay::~Replay() = default;

void Replay::run() {
#ifdef SCDCF_WITH_CUDA
  if (graph_ != nullptr) return graph_->graph.replay();
#endif
  work_();
}

}  // namespace scdcf::train
