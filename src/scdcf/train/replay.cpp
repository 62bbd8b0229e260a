#include "scdcf/train/replay.h"

#ifdef SCDCF_WITH_CUDA
#  include <ATen/cuda/CUDAContext.h>
#  include <ATen/cuda/CUDAGraph.h>
#  include <c10/cuda/CUDACachingAllocator.h>
#  include <c10/cuda/CUDAFunctions.h>
#  include <c10/cuda/CUDAGuard.h>
#  include <c10/cuda/CUDAStream.h>

#  include <map>

#  include "scdcf/train/device_work.h"
#endif

namespace scdcf::train {

#ifdef SCDCF_WITH_CUDA
namespace {

/// One for the captures of a device, which come one at a time. Not of torch's pool: its streams go round, and a run
/// that had been given the same one would break the capture by waiting for it.
c10::cuda::CUDAStream capture_stream(torch::Device device) {
  static std::map<c10::DeviceIndex, cudaStream_t> streams;
  const auto index = device.has_index() ? device.index() : c10::cuda::current_device();
  auto& stream = streams[index];
  if (stream == nullptr) {
    const c10::cuda::CUDAGuard on_device(index);
    C10_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  return c10::cuda::getStreamFromExternal(stream, index);
}

/// For as long as it lives, and thereafter, no product uses the memory that products before it were given to work in.
/// It belongs to a thread and a stream, which all captures share (one thread computes every backward): graphs that are
/// replayed side by side would write into the same. What a capture asks for anew is its graph's own.
class OwnProductMemory {
 public:
  OwnProductMemory() { at::cuda::clearCublasWorkspaces(); }
  ~OwnProductMemory() { at::cuda::clearCublasWorkspaces(); }
  OwnProductMemory(const OwnProductMemory&) = delete;
  OwnProductMemory& operator=(const OwnProductMemory&) = delete;
};

}  // namespace

struct Replay::Graph {
  at::cuda::CUDAGraph graph;

  Graph(const std::function<void()>& work, torch::Device device, const std::vector<torch::Tensor>& changed,
        const at::Generator& generator) {
    const DeviceCapture alone;  // others may replay meanwhile, but not allocate
    c10::cuda::device_synchronize();
    const c10::cuda::CUDAStreamGuard own_stream(capture_stream(device));  // replays run on the caller's
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
    // What those runs took belongs to this stream, and what earlier networks had to theirs and to their graphs, which
    // are gone: nothing would take any of it again, and a run with teachers would hold several times what it needs.
    c10::cuda::CUDACachingAllocator::emptyCache();
    if (generator.defined()) graph.register_generator_state(generator);
    const OwnProductMemory own_memory;
    graph.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    try {
      work();
    } catch (...) {
      end_what_failed();
      throw;
    }
    graph.capture_end();
    // A capture begins by writing the generator's seed on its own stream, which the first replay, on the caller's,
    // would not wait for: on a busy card the old seed could come last, and that step have another noise.
    c10::cuda::device_synchronize();
  }

 private:
  /// A capture left open would fail everything that this thread does later.
  void end_what_failed() {
    try {
      graph.capture_end();
    } catch (const std::exception&) {  // what comes of it is of no interest: the first failure is told
    }
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
