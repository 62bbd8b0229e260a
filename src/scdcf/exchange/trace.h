// From a function in C++ to a graph.
#pragma once

#include <torch/nn/module.h>

#include "scdcf/exchange/graph.h"

namespace scdcf::exchange {

/// Calls `function` and writes down what it does with the weights of `network`, which is in eval mode meanwhile.
/// `example`: two or more images, whose content does not matter; one more than these shows which numbers in it depend
/// on their count. What does not depend on the images is computed now, but for products that are larger than their
/// factors (Filters::factored). Throws Error where the function does other things for other counts of images, or has
/// other outputs than `outputs` names.
///
///   const auto scores = [&](const auto& images) { return std::vector<torch::Tensor>{network->forward(images)}; };
///   const auto graph = exchange::trace(*network, scores, torch::rand({2, 1, 28, 28}), {"scores"});
///   std::ofstream("network.onnx", std::ios::binary) << exchange::to_onnx(graph);
Graph trace(torch::nn::Module& network, const Function& function, const torch::Tensor& example,
            const std::vector<std::string>& outputs);

/// What the graph gives for images: what the function would have given.
std::vector<torch::Tensor> run(const Graph& graph, const torch::Tensor& images);

/// The same graph without operators of this library: filters composed and convolved, norm, ReLU and pooling apart.
Graph with_torch_operators(const Graph& graph);

/// A copy with every constant product computed: Filters::composed.
Graph with_composed_filters(const Graph& graph);

}  // namespace scdcf::exchange
