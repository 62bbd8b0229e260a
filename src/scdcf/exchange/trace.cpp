#include "scdcf/exchange/trace.h"

#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/ir.h>

#include "scdcf/core/error.h"
#include "scdcf/exchange/batch_numbers.h"
#include "scdcf/exchange/fold.h"
#include "scdcf/exchange/interpret.h"
#include "scdcf/exchange/torch_operators.h"
#include "scdcf/nn/eval_mode_guard.h"

namespace scdcf::exchange {
namespace {

namespace jit = torch::jit;

std::shared_ptr<jit::Graph> trace_once(const Function& function, const torch::Tensor& images,
                                       const std::vector<std::string>& outputs) {
  const auto call = [&](const jit::Stack& inputs) {
    jit::Stack results;
    for (auto& tensor : function(inputs.front().toTensor())) results.emplace_back(std::move(tensor));
    require(results.size() == outputs.size(), "trace: got ", results.size(), " outputs, expected ", outputs.size(),
            " as named");
    for (size_t i = 0; i < outputs.size(); ++i)
      require(jit::tracer::getTracingState()->hasValue(results[i]), "trace: output \"", outputs[i],
              "\" does not depend on the images");
    return results;
  };
  const auto nameless = [](const torch::Tensor&) { return std::string(); };
  const auto graph =
      jit::tracer::trace({images}, call, nameless, /*strict=*/true, /*force_outplace=*/true).first->graph;
  for (jit::Node* node : graph->nodes())  // what the network learns from now on is not the graph's
    if (node->kind() == c10::prim::Constant && node->output()->type()->isSubtypeOf(*c10::TensorType::get()) &&
        node->hasAttribute(c10::attr::value))
      node->t_(c10::attr::value, node->t(c10::attr::value).detach().clone());
  return graph;
}

/// Eval mode and no gradients, which constants of a graph cannot have, while it lives.
class FrozenScope {
 public:
  explicit FrozenScope(torch::nn::Module& network) : in_eval_mode_(network) {
    for (auto& parameter : network.parameters())
      if (parameter.requires_grad()) trained_.push_back(parameter.set_requires_grad(false));
  }
  ~FrozenScope() {
    for (auto& parameter : trained_) parameter.set_requires_grad(true);
  }
  FrozenScope(const FrozenScope&) = delete;
  FrozenScope& operator=(const FrozenScope&) = delete;

 private:
  nn::EvalModeGuard in_eval_mode_;
  std::vector<torch::Tensor> trained_;
};

Graph trace_frozen(const Function& function, const torch::Tensor& example, const std::vector<std::string>& outputs) {
  require(example.dim() == 4 && example.size(0) >= 2, "trace: example: got shape ", example.sizes(),
          ", expected two or more images [N, C, H, W]");
  const torch::NoGradGuard no_grad;
  function(example);  // layers make tables when they first need them
  const auto graph = trace_once(function, example, outputs);
  const auto other = trace_once(function, torch::cat({example, example.narrow(0, 0, 1)}), outputs);
  free_batch(*graph, *other, example.size(0));
  fold_constants(graph, Filters::factored);
  return {graph, example, outputs};
}

}  // namespace

Graph trace(torch::nn::Module& network, const Function& function, const torch::Tensor& example,
            const std::vector<std::string>& outputs) {
  const FrozenScope frozen(network);
  return trace_frozen(function, example, outputs);
}

Graph with_torch_operators(const Graph& graph) {
  return trace_frozen([&](const auto& images) { return interpret(*graph.operators, images, own_operators_in_torch()); },
                      graph.example, graph.outputs);
}

std::vector<torch::Tensor> run(const Graph& graph, const torch::Tensor& images) {
  const torch::NoGradGuard no_grad;
  return interpret(*graph.operators, images, {});
}

Graph with_composed_filters(const Graph& graph) {
  Graph copy = graph;
  copy.operators = graph.operators->copy();
  fold_constants(copy.operators, Filters::composed);
  return copy;
}

}  // namespace scdcf::exchange
