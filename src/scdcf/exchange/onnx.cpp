#include "scdcf/exchange/onnx.h"

#include "scdcf/core/error.h"
#include "scdcf/exchange/onnx_node.h"
#include "scdcf/exchange/trace.h"

namespace scdcf::exchange {
namespace {

namespace jit = torch::jit;

const OnnxRules& all_rules() {
  static const OnnxRules rules = [] {
    auto all = rules_for_layers();
    all.merge(rules_for_numbers());
    all.merge(rules_for_shapes());
    return all;
  }();
  return rules;
}

/// Constants are written where they are used; lists of tensors stand for what is in them.
void write(const jit::Node& node, OnnxModel& model, OnnxNames& names) {
  if (node.kind() == c10::prim::Constant || node.kind() == c10::prim::ListConstruct) return;
  if (node.kind() == c10::prim::ListUnpack) {
    const auto list = names.at(node.input());
    for (size_t i = 0; i < node.outputs().size(); ++i) names[node.output(i)] = {list.at(i)};
    return;
  }
  const std::string kind = node.kind().toQualString();
  const auto rule = all_rules().find(kind);
  require(rule != all_rules().end(), "ONNX: the operator ", kind, " has no counterpart here");
  OnnxNode arguments(node, model, names);
  const auto results = rule->second(arguments);
  if (node.outputs().size() == 1) {
    names[node.output()] = results;
  } else {
    for (size_t i = 0; i < node.outputs().size(); ++i) names[node.output(i)] = {results.at(i)};
  }
}

}  // namespace

std::string to_onnx(const Graph& graph, const Metadata& metadata, Filters filters) {
  const torch::NoGradGuard no_grad;
  auto plain = with_torch_operators(graph);
  if (filters == Filters::composed) plain = with_composed_filters(plain);
  OnnxModel model;
  OnnxNames names = {{plain.operators->inputs().front(), {OnnxModel::kInput}}};
  for (const jit::Node* node : plain.operators->nodes()) write(*node, model, names);
  for (size_t i = 0; i < plain.outputs.size(); ++i) {
    const auto* value = plain.operators->outputs()[i];
    require(names.count(value) > 0, "ONNX: output \"", plain.outputs[i], "\" does not depend on the images");
    model.add_output(names.at(value).front(), plain.outputs[i], *value->type()->expect<c10::TensorType>());
  }
  return model.bytes(plain.example, metadata);
}

}  // namespace scdcf::exchange
