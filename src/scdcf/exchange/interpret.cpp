#include "scdcf/exchange/interpret.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <unordered_map>

namespace scdcf::exchange {

namespace jit = torch::jit;

namespace {

/// A node on its arguments. Those on lists of any length have no operator of their own.
void carry_out(jit::Node& node, jit::Stack& stack) {
  if (node.kind() == c10::prim::ListConstruct) {
    c10::impl::GenericList list(node.output()->type()->expect<c10::ListType>()->getElementType());
    for (auto& element : stack) list.push_back(std::move(element));
    stack = {list};
  } else if (node.kind() == c10::prim::ListUnpack) {
    const auto elements = stack.front().toListRef().vec();
    stack.assign(elements.begin(), elements.end());
  } else {
    node.getOperation()(stack);
  }
}

}  // namespace

std::vector<torch::Tensor> interpret(jit::Graph& graph, const torch::Tensor& images,
                                     const std::map<std::string, Replacement>& instead) {
  std::unordered_map<const jit::Value*, c10::IValue> values = {{graph.inputs().front(), images}};
  for (jit::Node* node : graph.nodes()) {
    jit::Stack stack;
    if (node->kind() == c10::prim::Constant) {
      stack.push_back(*jit::toIValue(node->output()));
    } else {
      for (const auto* input : node->inputs()) stack.push_back(values.at(input));
      const auto replacement = instead.find(node->kind().toQualString());
      if (replacement != instead.end()) {
        replacement->second(stack);
      } else {
        carry_out(*node, stack);
      }
    }
    for (size_t i = 0; i < node->outputs().size(); ++i) values[node->output(i)] = std::move(stack.at(i));
  }
  std::vector<torch::Tensor> results;
  for (const auto* output : graph.outputs()) results.push_back(values.at(output).toTensor());
  return results;
}

}  // namespace scdcf::exchange
