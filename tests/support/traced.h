// A graph that outlives the module it was traced from.
#pragma once

#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/torch.h>

#include <functional>
#include <string>
#include <utility>

namespace scdcf::testing {

/// What the graph of `forward`, which owns its module, computes when that is gone. Parameters must not require
/// gradients.
inline torch::Tensor traced_and_freed(std::function<torch::Tensor(const torch::Tensor&)> forward,
                                      const torch::Tensor& input) {
  const auto call = [&](torch::jit::Stack inputs) { return torch::jit::Stack{forward(inputs.front().toTensor())}; };
  const auto nameless = [](const torch::Tensor&) { return std::string(); };
  const auto graph = torch::jit::tracer::trace({input}, call, nameless).first->graph;
  forward = nullptr;
  torch::jit::Stack stack = {input};
  torch::jit::GraphExecutor(graph, "traced").run(stack);
  return stack.front().toTensor();
}

}  // namespace scdcf::testing
