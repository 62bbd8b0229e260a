#include <ATen/ATen.h>

#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/exchange/onnx_node.h"

namespace scdcf::exchange {
namespace {

OnnxRule one_to_one(const std::string& type) {
  return [=](OnnxNode& node) -> Names { return {node.emit(type, {node.name(0)})}; };
}

/// Both operands in the type of the result.
OnnxRule arithmetic(const std::string& type) {
  return [=](OnnxNode& node) -> Names {
    const auto as = node.result_type();
    return {node.emit(type, {node.operand(0, as), node.operand(1, as)})};
  };
}

/// a + alpha b, a - alpha b.
OnnxRule sum(const std::string& type) {
  return [=](OnnxNode& node) -> Names {
    const auto as = node.result_type();
    auto second = node.operand(1, as);
    if (!node.is_none(2) && node.number(2) != 1) second = node.emit("Mul", {second, node.operand(2, as)});
    return {node.emit(type, {node.operand(0, as), second})};
  };
}

/// The type in which two operands are compared.
torch::ScalarType common_type(const OnnxNode& node) {
  if (!node.is_tensor(1)) return node.type(0) == torch::kBool ? torch::kLong : node.type(0);
  if (node.rank(1) == 0 && node.rank(0) > 0) return node.type(0);
  return c10::promoteTypes(node.type(0), node.type(1));
}

OnnxRule comparison(const std::string& type, bool negated = false) {
  return [=](OnnxNode& node) -> Names {
    const auto as = common_type(node);
    const auto result = node.emit(type, {node.operand(0, as), node.operand(1, as)});
    return {negated ? node.emit("Not", {result}) : result};
  };
}

Names square(OnnxNode& node) { return {node.emit("Mul", {node.name(0), node.name(0)})}; }

Names power_of_two(OnnxNode& node) {
  return {node.emit("Pow", {node.model().constant(torch::scalar_tensor(2, node.type(0))), node.name(0)})};
}

Names logarithm_to_base_two(OnnxNode& node) {
  const auto base = node.model().constant(torch::scalar_tensor(std::log(2.0), node.type(0)));
  return {node.emit("Div", {node.emit("Log", {node.name(0)}), base})};
}

Names reciprocal_root(OnnxNode& node) { return {node.emit("Reciprocal", {node.emit("Sqrt", {node.name(0)})})}; }

/// With "floor" towards minus infinity, which ONNX's division of whole numbers does not do.
Names division(OnnxNode& node) {
  const auto as = node.result_type();
  const auto a = node.operand(0, as), b = node.operand(1, as);
  if (node.is_none(2)) return {node.emit("Div", {a, b})};
  require(node.text(2) == "floor", "ONNX: div: rounding: got ", node.text(2), ", expected floor");
  if (c10::isFloatingType(as)) return {node.emit("Floor", {node.emit("Div", {a, b})})};
  return {node.emit("Div", {node.emit("Sub", {a, node.emit("Mod", {a, b})}), b})};
}

Names clamp(OnnxNode& node) {
  const auto bound = [&](size_t i) { return node.is_none(i) ? std::string() : node.operand(i, node.type(0)); };
  return {node.emit("Clip", {node.name(0), bound(1), bound(2)})};
}

Names where(OnnxNode& node) {
  const auto as = node.result_type();
  return {node.emit("Where", {node.name(0), node.operand(1, as), node.operand(2, as)})};
}

Names cast(OnnxNode& node) { return {node.operand(0, node.result_type())}; }

/// Of the shape of the argument, filled with one value.
OnnxRule filled(double value) {
  return [=](OnnxNode& node) -> Names {
    const auto filling = node.model().constant(torch::scalar_tensor(value, node.result_type()));
    return {node.emit("Expand", {filling, node.emit("Shape", {node.name(0)})})};
  };
}

/// input, dimensions, keep: mean, amax, amin. All dimensions where none are named.
OnnxRule reduction(const std::string& type) {
  return [=](OnnxNode& node) -> Names {
    OnnxModel::Attributes attributes = {{"keepdims", int64_t{node.arguments() > 2 && node.boolean(2)}}};
    if (!node.is_none(1)) {
      const auto axes = node.integers(1);
      if (!axes.empty()) attributes["axes"] = axes;
    }
    return {node.emit(type, {node.name(0)}, attributes)};
  };
}

/// ONNX takes the dimensions of a sum as an argument.
Names sum_over(OnnxNode& node) {
  require(!node.is_none(1), "ONNX: sum: got no dimensions, expected some");
  return {node.emit("ReduceSum", {node.operand(0, node.result_type()), node.row(1)},
                    {{"keepdims", int64_t{node.boolean(2)}}})};
}

/// input, dimension, keep.
OnnxRule place_of(const std::string& type) {
  return [=](OnnxNode& node) -> Names {
    require(!node.is_none(1), "ONNX: ", type, ": got no dimension, expected one");
    return {node.emit(type, {node.name(0)}, {{"axis", node.integer(1)}, {"keepdims", int64_t{node.boolean(2)}}})};
  };
}

/// max of two tensors, or along a dimension with its place.
OnnxRule extremum(const std::string& of_two, const std::string& along, const std::string& place) {
  return [=](OnnxNode& node) -> Names {
    if (node.results() == 1) return arithmetic(of_two)(node);
    const auto kept = int64_t{node.boolean(2)};
    return {node.emit(along, {node.name(0)}, {{"axes", Integers{node.integer(1)}}, {"keepdims", kept}}),
            node.emit(place, {node.name(0)}, {{"axis", node.integer(1)}, {"keepdims", kept}})};
  };
}

OnnxRule along_axis(const std::string& type) {
  return [=](OnnxNode& node) -> Names { return {node.emit(type, {node.name(0)}, {{"axis", node.integer(1)}})}; };
}

}  // namespace

OnnxRules rules_for_numbers() {
  return {{"aten::relu", one_to_one("Relu")},
          {"aten::sqrt", one_to_one("Sqrt")},
          {"aten::exp", one_to_one("Exp")},
          {"aten::log", one_to_one("Log")},
          {"aten::abs", one_to_one("Abs")},
          {"aten::neg", one_to_one("Neg")},
          {"aten::floor", one_to_one("Floor")},
          {"aten::tanh", one_to_one("Tanh")},
          {"aten::sigmoid", one_to_one("Sigmoid")},
          {"aten::reciprocal", one_to_one("Reciprocal")},
          {"aten::logical_not", one_to_one("Not")},
          {"aten::square", square},
          {"aten::exp2", power_of_two},
          {"aten::log2", logarithm_to_base_two},
          {"aten::rsqrt", reciprocal_root},
          {"aten::add", sum("Add")},
          {"aten::sub", sum("Sub")},
          {"aten::mul", arithmetic("Mul")},
          {"aten::div", division},
          {"aten::remainder", arithmetic("Mod")},
          {"aten::pow", arithmetic("Pow")},
          {"aten::maximum", arithmetic("Max")},
          {"aten::minimum", arithmetic("Min")},
          {"aten::eq", comparison("Equal")},
          {"aten::ne", comparison("Equal", /*negated=*/true)},
          {"aten::gt", comparison("Greater")},
          {"aten::lt", comparison("Less")},
          {"aten::ge", comparison("GreaterOrEqual")},
          {"aten::le", comparison("LessOrEqual")},
          {"aten::logical_and", arithmetic("And")},
          {"aten::logical_or", arithmetic("Or")},
          {"aten::clamp", clamp},
          {"aten::where", where},
          {"aten::to", cast},
          {"aten::zeros_like", filled(0)},
          {"aten::ones_like", filled(1)},
          {"aten::mean", reduction("ReduceMean")},
          {"aten::amax", reduction("ReduceMax")},
          {"aten::amin", reduction("ReduceMin")},
          {"aten::sum", sum_over},
          {"aten::argmax", place_of("ArgMax")},
          {"aten::argmin", place_of("ArgMin")},
          {"aten::max", extremum("Max", "ReduceMax", "ArgMax")},
          {"aten::min", extremum("Min", "ReduceMin", "ArgMin")},
          {"aten::softmax", along_axis("Softmax")},
          {"aten::log_softmax", along_axis("LogSoftmax")}};
}

}  // namespace scdcf::exchange
