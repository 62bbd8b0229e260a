#include "scdcf/exchange/torchscript.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/constant_pooling.h>
#include <torch/csrc/jit/passes/shape_analysis.h>
#include <torch/csrc/jit/serialization/import.h>

#include <sstream>

namespace scdcf::exchange {

namespace jit = torch::jit;

std::string to_torchscript(const Graph& graph, const Metadata& metadata) {
  const auto operators = graph.operators->copy();
  jit::EraseShapeInformation(operators);  // that of the example, whose count of images is one of many
  jit::ConstantPooling(operators);
  if (operators->outputs().size() > 1) {
    auto* tuple = operators->insertNode(operators->createTuple(operators->outputs()))->output();
    while (!operators->outputs().empty()) operators->eraseOutput(0);
    operators->registerOutput(tuple);
  }
  operators->inputs().front()->setDebugName("images");
  jit::Module module("scdcf.Network");
  operators->insertInput(0, "self")->setType(module.type());
  auto* forward = module._ivalue()->compilation_unit()->create_function(
      c10::QualifiedName(*module.type()->name(), "forward"), operators);
  module.type()->addMethod(forward);
  std::ostringstream bytes;
  module.save(bytes, jit::ExtraFilesMap(metadata.begin(), metadata.end()));
  return bytes.str();
}

std::vector<torch::Tensor> run_torchscript(const std::string& bytes, const torch::Tensor& images) {
  const torch::NoGradGuard no_grad;
  std::istringstream file(bytes);
  const auto result = jit::load(file).forward({images});
  if (result.isTensor()) return {result.toTensor()};
  std::vector<torch::Tensor> outputs;
  const auto tuple = result.toTuple();
  for (const auto& output : tuple->elements()) outputs.push_back(output.toTensor());
  return outputs;
}

}  // namespace scdcf::exchange
