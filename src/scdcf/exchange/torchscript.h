// A graph as a TorchScript module, for torch::jit::load in C++ and torch.jit.load in Python.
#pragma once

#include "scdcf/exchange/graph.h"

namespace scdcf::exchange {

/// The bytes of a module whose forward is the graph: a tensor, or a tuple where there are several outputs. `metadata`
/// becomes extra files of these names. Operators of this library, where the graph has them, need libscdcf.so loaded.
std::string to_torchscript(const Graph& graph, const Metadata& metadata = {});

/// Loads such a module, from these bytes, and gives its outputs for images.
std::vector<torch::Tensor> run_torchscript(const std::string& bytes, const torch::Tensor& images);

}  // namespace scdcf::exchange
