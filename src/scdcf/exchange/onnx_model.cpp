// The numbers of the fields are those of onnx.proto, whose messages are named beside them.
#include "scdcf/exchange/onnx_model.h"

#include "scdcf/core/error.h"
#include "scdcf/core/runtime.h"

namespace scdcf::exchange {
namespace {

constexpr int64_t kFormatVersion = 7;  // the one that came with operator set 13

/// ValueInfoProto: a name, an element type, sizes. The first is free.
Message value_info(const std::string& name, torch::ScalarType type, const Integers& sizes) {
  Message shape;
  for (size_t i = 0; i < sizes.size(); ++i)
    shape.message(1, i == 0 ? Message().text(2, "N") : Message().integer(1, sizes[i]));
  return Message().text(1, name).message(2,
                                         Message().message(1, Message().integer(1, onnx_type(type)).message(2, shape)));
}

/// AttributeProto.
Message attribute(const std::string& name, const OnnxModel::Attributes::mapped_type& value) {
  enum Type { kFloat = 1, kInteger = 2, kText = 3, kIntegers = 7 };
  Message message;
  message.text(1, name);
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    message.integer(3, *integer).integer(20, kInteger);
  } else if (const auto* number = std::get_if<double>(&value)) {
    message.number(2, static_cast<float>(*number)).integer(20, kFloat);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    message.text(4, *text).integer(20, kText);
  } else {
    for (const int64_t i : std::get<Integers>(value)) message.integer(8, i);
    message.integer(20, kIntegers);
  }
  return message;
}

}  // namespace

int64_t onnx_type(torch::ScalarType type) {
  switch (type) {
    case torch::kFloat:
      return 1;
    case torch::kInt:
      return 6;
    case torch::kLong:
      return 7;
    case torch::kBool:
      return 9;
    case torch::kDouble:
      return 11;
    default:
      detail::fail("ONNX: got a tensor of ", toString(type), ", expected Float, Double, Int, Long or Bool");
  }
}

std::string OnnxModel::constant(const torch::Tensor& table) {
  const auto dense = table.to(torch::kCPU).contiguous();
  Message message;  // TensorProto
  for (const int64_t size : dense.sizes()) message.integer(1, size);
  message.integer(2, onnx_type(dense.scalar_type()));
  message.text(9, {static_cast<const char*>(dense.data_ptr()), static_cast<size_t>(dense.nbytes())});
  auto& name = names_of_tables_[message.bytes()];
  if (name.empty()) {
    name = "table" + std::to_string(names_of_tables_.size());
    tables_.push_back(message.text(8, name));
  }
  return name;
}

std::string OnnxModel::integers(const Integers& values) { return constant(torch::tensor(values, torch::kLong)); }

Names OnnxModel::node(const std::string& type, const Names& inputs, const Attributes& attributes, size_t outputs) {
  Names names;
  Message message;  // NodeProto
  for (const auto& input : inputs) message.text(1, input);
  for (size_t i = 0; i < outputs; ++i) {
    names.push_back("value" + std::to_string(++next_));
    message.text(2, names.back());
  }
  message.text(3, type + std::to_string(nodes_.size() + 1)).text(4, type);
  for (const auto& [name, value] : attributes) message.message(5, attribute(name, value));
  nodes_.push_back(message);
  return names;
}

void OnnxModel::add_output(const std::string& value, const std::string& name, const c10::TensorType& like) {
  nodes_.push_back(Message().text(1, value).text(2, name).text(3, "output " + name).text(4, "Identity"));
  outputs_.push_back(value_info(name, *like.scalarType(), like.sizes().concrete_sizes().value()));
}

std::string OnnxModel::bytes(const torch::Tensor& example, const Metadata& metadata) const {
  Message graph;  // GraphProto
  for (const auto& node : nodes_) graph.message(1, node);
  graph.text(2, "scdcf");
  for (const auto& table : tables_) graph.message(5, table);
  graph.message(11, value_info(kInput, example.scalar_type(), example.sizes().vec()));
  for (const auto& output : outputs_) graph.message(12, output);
  Message model;  // ModelProto
  model.integer(1, kFormatVersion).text(2, "scdcf").text(3, version()).message(7, graph);
  model.message(8, Message().text(1, "").integer(2, kOperatorSet));  // OperatorSetIdProto
  for (const auto& [key, value] : metadata) model.message(14, Message().text(1, key).text(2, value));
  return model.bytes();
}

}  // namespace scdcf::exchange
