// What a network remembers of its batches, kept while it looks at others.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <vector>

namespace scdcf::train {

/// When it goes, the buffers of the network, statistics of its norms among them, are again what they were when it came.
/// Nothing is asked of the host.
class KeptBuffers {
 public:
  explicit KeptBuffers(const torch::nn::Module& network) : buffers_(network.buffers()) {
    for (const auto& buffer : buffers_) before_.push_back(buffer.clone());
  }
  ~KeptBuffers() {
    const torch::NoGradGuard no_grad;
    for (size_t i = 0; i < buffers_.size(); ++i) buffers_[i].copy_(before_[i]);
  }
  KeptBuffers(const KeptBuffers&) = delete;
  KeptBuffers& operator=(const KeptBuffers&) = delete;

 private:
  std::vector<torch::Tensor> buffers_, before_;
};

}  // namespace scdcf::train
