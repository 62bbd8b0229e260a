// What of a graph does not depend on its input, computed once and for all.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include "scdcf/exchange/graph.h"

namespace scdcf::exchange {

/// Replaces what has constant inputs by its result, and drops what nobody uses. Filters::factored leaves a product of
/// two tables that is larger than both, and what is made of it.
void fold_constants(const std::shared_ptr<torch::jit::Graph>& graph, Filters filters);

}  // namespace scdcf::exchange
