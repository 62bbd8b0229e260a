// A graph as an ONNX file, which runtimes of every language read, in browsers too.
#pragma once

#include "scdcf/exchange/graph.h"

namespace scdcf::exchange {

/// The bytes of an ONNX model (operator set 13), input "images" [N, C, H, W], outputs by their names, N free;
/// `metadata` becomes its metadata_props. Throws Error naming the first operator that has no counterpart here.
std::string to_onnx(const Graph& graph, const Metadata& metadata = {}, Filters filters = Filters::factored);

}  // namespace scdcf::exchange
