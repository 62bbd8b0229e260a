// Work that is repeated many times on the same tensors, as a training step is.
#pragma once

#include <torch/types.h>

#include <functional>
#include <memory>
#include <vector>

namespace scdcf::train {

/// Runs `work` again and again. On a GPU it is captured once in a CUDA graph and replayed, as launching hundreds of
/// small kernels takes longer than running them; the work must then ask nothing of the host, and what it refers to must
/// outlive this object.
class Replay {
 public:
  /// A capture takes a few runs of the work beforehand. Changes that these make to the tensors in `changed` are undone.
  /// The `generator` is the one that the work draws random numbers from, where there is one beside torch's own.
  Replay(std::function<void()> work, torch::Device device, const std::vector<torch::Tensor>& changed = {},
         const at::Generator& generator = {});
  ~Replay();
  void run();

 private:
  struct Graph;
  std::function<void()> work_;
  std::unique_ptr<Graph> graph_;  // none on the CPU
};

}  // namespace scdcf::train
