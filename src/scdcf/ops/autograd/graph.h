// Autograd nodes that save tensors. torch::autograd::Function needs concrete sizes before LibTorch 2, and ours may be
// symbolic.
#pragma once

#include <ATen/ATen.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <memory>
#include <mutex>
#include <type_traits>
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

/// A new node: a std::shared_ptr in LibTorch 1.13, a c10::intrusive_ptr in 2.13.
template <class NodeType>
auto make_node() {
  if constexpr (std::is_same_v<decltype(torch::autograd::Edge::function), std::shared_ptr<torch::autograd::Node>>)
    return std::shared_ptr<NodeType>(new NodeType, [](auto* node) { deleteNode(node); });
  else
    return c10::make_intrusive<NodeType>();
}

/// The node behind the results of `op`, or none where no gradient of `inputs` is asked for.
template <class NodeType, class... Tensors>
auto node_behind(const char* op, const Tensors&... inputs) {
  for (const at::Tensor* input : {&inputs...})
    require(!input->defined() || !input->_fw_grad(/*level=*/0).defined(), op,
            ": got a tangent, expected none: there is no forward-mode derivative");
  decltype(make_node<NodeType>()) node;
  if (!torch::autograd::compute_requires_grad(inputs...)) return node;
  node = make_node<NodeType>();
  node->set_next_edges(torch::autograd::collect_next_edges(inputs...));
  return node;
}

}  // namespace scdcf::ops
