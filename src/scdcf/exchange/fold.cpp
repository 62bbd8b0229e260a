#include "scdcf/exchange/fold.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/passes/constant_propagation.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>

namespace scdcf::exchange {
namespace {

namespace jit = torch::jit;

bool is_constant(const jit::Value* value) { return value->node()->kind() == c10::prim::Constant; }

int64_t numbers_in(const jit::Value* value) {
  const auto constant = jit::toIValue(value);
  return constant && constant->isTensor() ? constant->toTensor().numel() : 0;
}

bool is_larger_than_its_factors(const jit::Node& node, const jit::Stack& results) {
  if (node.kind() != c10::aten::matmul) return false;
  return results.front().toTensor().numel() > numbers_in(node.input(0)) + numbers_in(node.input(1));
}

void replace_by(jit::Node& node, const jit::Stack& results) {
  const jit::WithInsertPoint before(&node);
  for (size_t i = 0; i < results.size(); ++i)
    if (auto* constant = jit::tryInsertConstant(*node.owningGraph(), results[i]).value_or(nullptr)) {
      constant->copyMetadata(node.output(i));
      node.output(i)->replaceAllUsesWith(constant);
    }
}

}  // namespace

void fold_constants(const std::shared_ptr<jit::Graph>& graph, Filters filters) {
  const torch::NoGradGuard no_grad;
  for (jit::Node* node : graph->nodes()) {
    if (node->kind() == c10::prim::Constant || node->hasSideEffects() || node->isNondeterministic()) continue;
    if (!std::all_of(node->inputs().begin(), node->inputs().end(), is_constant)) continue;
    const auto results = jit::runNodeIfInputsAreConstant(node);
    if (!results || (filters == Filters::factored && is_larger_than_its_factors(*node, *results))) continue;
    replace_by(*node, *results);
  }
  jit::EliminateDeadCode(graph);
}

}  // namespace scdcf::exchange
