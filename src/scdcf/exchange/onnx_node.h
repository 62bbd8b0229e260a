// One node of a graph, with what a rule asks about it to write its counterpart in ONNX.
#pragma once

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <functional>
#include <unordered_map>

#include "scdcf/exchange/onnx_model.h"

namespace scdcf::exchange {

/// What stands in the model for each value of the graph: one name, or those of a list of tensors.
using OnnxNames = std::unordered_map<const torch::jit::Value*, Names>;

/// The arguments of a node by their places in its schema. Whole numbers that depend on the count of images are values
/// of the graph too, and of the model: tensors of one number.
class OnnxNode {
 public:
  OnnxNode(const torch::jit::Node& node, OnnxModel& model, const OnnxNames& names)
      : node_(node), model_(model), names_(names) {}

  OnnxModel& model() { return model_; }
  size_t arguments() const { return node_.inputs().size(); }
  size_t results() const { return node_.outputs().size(); }

  bool is_none(size_t i) const;
  bool is_tensor(size_t i) const;
  bool is_integer(size_t i) const { return input(i).type()->kind() == c10::TypeKind::IntType; }
  bool is_constant(size_t i) const { return torch::jit::toIValue(&input(i)).has_value(); }
  int64_t integer(size_t i) const;
  Integers integers(size_t i) const;
  /// The same with as many numbers as there are dimensions, where one was given for all.
  Integers integers(size_t i, size_t count) const;
  double number(size_t i) const;
  bool boolean(size_t i) const;
  std::string text(size_t i) const;

  int64_t rank(size_t i) const { return static_cast<int64_t>(sizes(i).size()); }
  /// As traced: those that depend on the count of images are those of the example.
  Integers sizes(size_t i) const;
  torch::ScalarType type(size_t i) const;
  torch::ScalarType result_type() const;
  int64_t result_rank() const;
  bool gives_integer() const { return node_.output()->type()->kind() == c10::TypeKind::IntType; }
  /// A dimension as a number from 0 on, of `of` dimensions.
  static int64_t dimension(int64_t given, int64_t of) { return given < 0 ? given + of : given; }
  int64_t dimension(size_t i) const { return dimension(integer(i), rank(0)); }

  /// A tensor.
  std::string name(size_t i) const;
  /// A tensor, or a number as one, of this type.
  std::string operand(size_t i, torch::ScalarType as) const;
  /// A list of tensors.
  Names list(size_t i) const;
  /// A whole number or a list of them, as a tensor in a row.
  std::string row(size_t i) const;

  std::string emit(const std::string& type, const Names& inputs, const OnnxModel::Attributes& attributes = {}) {
    return model_.node(type, inputs, attributes).front();
  }

 private:
  const torch::jit::Value& input(size_t i) const { return *node_.input(i); }
  c10::IValue constant(size_t i) const;
  std::string name_of(const torch::jit::Value& value) const;

  const torch::jit::Node& node_;
  OnnxModel& model_;
  const OnnxNames& names_;
};

/// Writes the counterpart of a node; gives the names of its results.
using OnnxRule = std::function<Names(OnnxNode&)>;

/// By operators: "aten::relu".
using OnnxRules = std::map<std::string, OnnxRule>;

OnnxRules rules_for_layers();   ///< convolution, normalisation, pooling, products of matrices
OnnxRules rules_for_numbers();  ///< element by element, and along dimensions
OnnxRules rules_for_shapes();   ///< what only moves numbers

}  // namespace scdcf::exchange
