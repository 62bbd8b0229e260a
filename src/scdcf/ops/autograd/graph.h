// What the operators need of torch's graph. torch::autograd::Function would serve, but before LibTorch 2 it asks its
// arguments for their sizes as plain numbers, which symbolic ones have not.
#pragma once

#include <ATen/ATen.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <memory>
#include <mutex>
#include <vector>

#include "scdcf/core/error.h"

namespace scdcf::ops {

/// A step backwards that keeps tensors until the graph is released.
class BackwardNode : public torch::autograd::Node {
 public:
  void keep(const at::Tensor& tensor) { kept_.emplace_back(tensor, /*is_output=*/false); }
  void release_variables() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto& tensor : kept_) tensor.reset_data();
  }

 protected:
  std::vector<at::Tensor> kept() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<at::Tensor> tensors;
    for (auto& tensor : kept_) tensors.push_back(tensor.unpack());
    return tensors;
  }

 private:
  std::vector<torch::autograd::SavedVariable> kept_;
};

/// The node behind the results of `op`, or none where no gradient of `inputs` is asked for.
template <class NodeType, class... Tensors>
std::shared_ptr<NodeType> node_behind(const char* op, const Tensors&... inputs) {
  for (const at::Tensor* input : {&inputs...})
    require(!input->defined() || !input->_fw_grad(/*level=*/0).defined(), op,
            ": got a tangent, expected none: there is no forward-mode derivative");
  if (!torch::autograd::compute_requires_grad(inputs...)) return nullptr;
  std::shared_ptr<NodeType> node(new NodeType, torch::autograd::deleteNode);
  node->set_next_edges(torch::autograd::collect_next_edges(inputs...));
  return node;
}

}  // namespace scdcf::ops
