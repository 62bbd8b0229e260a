#include <array>

#include "scdcf/core/error.h"
#include "scdcf/exchange/onnx_node.h"

namespace scdcf::exchange {
namespace {

/// ONNX has the padding before every dimension, then that behind.
Integers both_ends(Integers padding) {
  padding.insert(padding.end(), padding.begin(), padding.end());
  return padding;
}

/// aten::_convolution and aten::convolution: input, weight, bias, stride, padding, dilation, transposed,
/// output_padding, groups.
Names convolution(OnnxNode& node) {
  const auto axes = static_cast<size_t>(node.rank(1) - 2);
  OnnxModel::Attributes attributes = {{"strides", node.integers(3, axes)},
                                      {"pads", both_ends(node.integers(4, axes))},
                                      {"dilations", node.integers(5, axes)},
                                      {"group", node.integer(8)}};
  const bool transposed = node.boolean(6);
  if (transposed) attributes["output_padding"] = node.integers(7, axes);
  Names inputs = {node.name(0), node.name(1)};
  if (!node.is_none(2)) inputs.push_back(node.name(2));
  return {node.emit(transposed ? "ConvTranspose" : "Conv", inputs, attributes)};
}

Names batch_norm(OnnxNode& node) {
  const auto channels = node.sizes(3);
  const auto or_constant = [&](size_t i, double value) {
    return node.is_none(i) ? node.model().constant(torch::full(channels, value)) : node.name(i);
  };
  require(!node.boolean(5), "ONNX: batch_norm: got training, expected eval mode");
  return {node.emit("BatchNormalization",
                    {node.name(0), or_constant(1, 1), or_constant(2, 0), node.name(3), node.name(4)},
                    {{"epsilon", node.number(7)}})};
}

/// Window, stride, padding: the arguments that all poolings begin with.
OnnxModel::Attributes window(OnnxNode& node) {
  const auto axes = static_cast<size_t>(node.rank(0) - 2);
  const auto size = node.integers(1, axes);
  const auto stride = node.integers(2);
  return {{"kernel_shape", size},
          {"strides", stride.empty() ? size : node.integers(2, axes)},
          {"pads", both_ends(node.integers(3, axes))}};
}

OnnxModel::Attributes max_window(OnnxNode& node) {
  auto attributes = window(node);
  attributes["dilations"] = node.integers(4, static_cast<size_t>(node.rank(0) - 2));
  attributes["ceil_mode"] = int64_t{node.boolean(5)};
  return attributes;
}

Names max_pool(OnnxNode& node) { return {node.emit("MaxPool", {node.name(0)}, max_window(node))}; }

/// ONNX counts places through the whole tensor, torch through each map.
Names max_pool_with_indices(OnnxNode& node) {
  auto outputs = node.model().node("MaxPool", {node.name(0)}, max_window(node), 2);
  const auto sizes = node.sizes(0);
  const auto pixels = node.model().constant(torch::scalar_tensor(sizes[2] * sizes[3], torch::kLong));
  return {outputs[0], node.emit("Mod", {outputs[1], pixels})};
}

Names average_pool(OnnxNode& node) {
  require(node.is_none(6), "ONNX: avg_pool: got a divisor, expected none");
  auto attributes = window(node);
  attributes["ceil_mode"] = int64_t{node.boolean(4)};
  attributes["count_include_pad"] = int64_t{node.boolean(5)};
  return {node.emit("AveragePool", {node.name(0)}, attributes)};
}

Names product(OnnxNode& node) { return {node.emit("MatMul", {node.name(0), node.name(1)})}; }

/// beta a + alpha b c.
Names sum_and_product(OnnxNode& node) {
  return {node.emit("Gemm", {node.name(1), node.name(2), node.name(0)},
                    {{"beta", node.number(3)}, {"alpha", node.number(4)}})};
}

Names linear(OnnxNode& node) {
  const auto turned = node.emit("Transpose", {node.name(1)}, {{"perm", Integers{1, 0}}});
  const auto result = node.emit("MatMul", {node.name(0), turned});
  return {node.is_none(2) ? result : node.emit("Add", {result, node.name(2)})};
}

/// torch: left, right, top, bottom; ONNX: all fronts, then all ends, of every dimension.
Names pad_by(OnnxNode& node, const std::string& mode, const Names& value) {
  const auto given = node.integers(1);
  const auto rank = static_cast<size_t>(node.rank(0));
  Integers pads(2 * rank, 0);
  for (size_t i = 0; i < given.size() / 2; ++i) {
    pads[rank - 1 - i] = given[2 * i];
    pads[2 * rank - 1 - i] = given[2 * i + 1];
  }
  Names inputs = {node.name(0), node.model().integers(pads)};
  inputs.insert(inputs.end(), value.begin(), value.end());
  return {node.emit("Pad", inputs, {{"mode", mode}})};
}

Names pad_with_border(OnnxNode& node) { return pad_by(node, "edge", {}); }
Names pad_with_reflection(OnnxNode& node) { return pad_by(node, "reflect", {}); }
Names pad_with_constant(OnnxNode& node, size_t value) {
  const auto filling = node.is_none(value) ? node.model().constant(torch::scalar_tensor(0, node.type(0)))
                                           : node.operand(value, node.type(0));
  return pad_by(node, "constant", {filling});
}

/// The mode is an argument: a number of at::padding_mode in what torch::nn calls, or its name.
Names pad(OnnxNode& node) {
  constexpr std::array<const char*, 4> modes = {"reflect", "replicate", "circular", "constant"};
  const std::string mode = node.is_integer(2) ? modes.at(static_cast<size_t>(node.integer(2))) : node.text(2);
  if (mode == "replicate") return pad_with_border(node);
  if (mode == "reflect") return pad_with_reflection(node);
  require(mode == "constant", "ONNX: pad: got mode ", mode, ", expected reflect, replicate or constant");
  return pad_with_constant(node, 3);
}

}  // namespace

OnnxRules rules_for_layers() {
  return {{"aten::_convolution", convolution},
          {"aten::convolution", convolution},
          {"aten::batch_norm", batch_norm},
          {"aten::max_pool2d", max_pool},
          {"aten::max_pool3d", max_pool},
          {"aten::max_pool2d_with_indices", max_pool_with_indices},
          {"aten::avg_pool2d", average_pool},
          {"aten::avg_pool3d", average_pool},
          {"aten::matmul", product},
          {"aten::mm", product},
          {"aten::bmm", product},
          {"aten::addmm", sum_and_product},
          {"aten::linear", linear},
          {"aten::replication_pad2d", pad_with_border},
          {"aten::replication_pad3d", pad_with_border},
          {"aten::reflection_pad2d", pad_with_reflection},
          {"aten::constant_pad_nd", [](OnnxNode& node) { return pad_with_constant(node, 2); }},
          {"aten::pad", pad},
          {"aten::_pad_enum", pad}};
}

}  // namespace scdcf::exchange
