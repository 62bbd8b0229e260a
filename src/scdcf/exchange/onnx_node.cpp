#include "scdcf/exchange/onnx_node.h"

#include "scdcf/core/error.h"

namespace scdcf::exchange {

namespace jit = torch::jit;

c10::IValue OnnxNode::constant(size_t i) const {
  const auto value = jit::toIValue(&input(i));
  require(value.has_value(), "ONNX: ", node_.kind().toQualString(), ": argument ", i, " depends on the images");
  return *value;
}

bool OnnxNode::is_none(size_t i) const { return i >= arguments() || input(i).mustBeNone(); }
bool OnnxNode::is_tensor(size_t i) const { return input(i).type()->isSubtypeOf(*c10::TensorType::get()); }
int64_t OnnxNode::integer(size_t i) const { return constant(i).toInt(); }
Integers OnnxNode::integers(size_t i) const { return constant(i).toIntVector(); }
bool OnnxNode::boolean(size_t i) const { return constant(i).toBool(); }
std::string OnnxNode::text(size_t i) const { return constant(i).toStringRef(); }

double OnnxNode::number(size_t i) const {
  const auto value = constant(i);
  return value.isTensor() ? value.toTensor().item<double>() : value.toScalar().toDouble();
}

Integers OnnxNode::integers(size_t i, size_t count) const {
  const auto values = integers(i);
  return values.size() == 1 ? Integers(count, values.front()) : values;
}

Integers OnnxNode::sizes(size_t i) const {
  return input(i).type()->expect<c10::TensorType>()->sizes().concrete_sizes().value();
}

torch::ScalarType OnnxNode::type(size_t i) const { return *input(i).type()->expect<c10::TensorType>()->scalarType(); }

torch::ScalarType OnnxNode::result_type() const {
  return gives_integer() ? torch::kLong : *node_.output(0)->type()->expect<c10::TensorType>()->scalarType();
}

int64_t OnnxNode::result_rank() const {
  return static_cast<int64_t>(node_.output()->type()->expect<c10::TensorType>()->sizes().size().value());
}

std::string OnnxNode::name_of(const jit::Value& value) const {
  const auto known = names_.find(&value);
  if (known != names_.end()) return known->second.front();
  const auto content = jit::toIValue(&value);
  require(content.has_value(), "ONNX: ", node_.kind().toQualString(), ": an argument is no tensor");
  return content->isInt() ? model_.integers({content->toInt()}) : model_.constant(content->toTensor());
}

std::string OnnxNode::name(size_t i) const { return name_of(input(i)); }

std::string OnnxNode::operand(size_t i, torch::ScalarType as) const {
  const auto content = jit::toIValue(&input(i));
  if (content && content->isTensor()) return model_.constant(content->toTensor().to(as));
  if (content && !gives_integer()) return model_.constant(torch::scalar_tensor(content->toScalar(), as));
  const auto value = name(i);
  if (!is_tensor(i) || type(i) == as) return value;
  return model_.node("Cast", {value}, {{"to", onnx_type(as)}}).front();
}

Names OnnxNode::list(size_t i) const {
  const auto known = names_.find(&input(i));
  if (known != names_.end()) return known->second;
  Names names;
  if (const auto content = jit::toIValue(&input(i))) {
    for (const auto& tensor : content->toTensorVector()) names.push_back(model_.constant(tensor));
  } else {
    for (const auto* element : input(i).node()->inputs()) names.push_back(name_of(*element));
  }
  return names;
}

std::string OnnxNode::row(size_t i) const {
  if (const auto content = jit::toIValue(&input(i)))
    return model_.integers(content->isInt() ? Integers{content->toInt()} : content->toIntVector());
  if (input(i).type()->kind() == c10::TypeKind::IntType) return name(i);
  return model_.node("Concat", list(i), {{"axis", int64_t{0}}}).front();
}

}  // namespace scdcf::exchange
