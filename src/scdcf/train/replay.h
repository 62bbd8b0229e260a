// Work that is repeated many times on the same tensors, as a training step is.
#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>

namespace scdcf::train {

/// Runs `work` again and again. On a GPU it is captured once in a CUDA graph and replayed, as launching hundreds of
/// small kernels takes longer than running them; the work must then ask nothing of the host, and what it refers to must
/// outlive this object.
class Replay {
 public:
  Replay(std::function<void()> work, c10::Device device);
  ~Replay();
  Replay(Replay&&) noexcept;
  void run();

 private:
  struct Graph;
  std::function<void()> work_;
  std::unique_ptr<Graph> graph_;  // none on the CPU
};

}  // namespace scdcf::train
