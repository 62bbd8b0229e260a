// A graph carried out node by node.
#pragma once

#include <torch/csrc/jit/ir/ir.h>
#include <torch/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace scdcf::exchange {

/// What is done instead of an operator, "scdcf::norm_relu_pool", with its arguments on the stack, for its results.
using Replacement = std::function<void(torch::jit::Stack& stack)>;

/// The outputs of the graph for these images, operators named in `instead` replaced. Where a tracer listens, it hears
/// what is done.
std::vector<torch::Tensor> interpret(torch::jit::Graph& graph, const torch::Tensor& images,
                                     const std::map<std::string, Replacement>& instead);

}  // namespace scdcf::exchange
