#include <limits>
#include <numeric>

#include "scdcf/core/error.h"
#include "scdcf/exchange/onnx_node.h"

namespace scdcf::exchange {
namespace {

Names as_it_is(OnnxNode& node) { return {node.name(0)}; }

Names reshape(OnnxNode& node) { return {node.emit("Reshape", {node.name(0), node.row(1)})}; }

/// 0 keeps a dimension. Those behind the flattened ones are asked for when it runs: one may be the count of images.
Names flatten(OnnxNode& node) {
  const int64_t rank = node.rank(0), first = node.dimension(1), last = node.dimension(2);
  Integers shape(static_cast<size_t>(first), 0);
  shape.push_back(-1);
  auto target = node.model().integers(shape);
  if (last + 1 < rank) {
    const auto rest = node.emit("Slice", {node.emit("Shape", {node.name(0)}), node.model().integers({last + 1}),
                                          node.model().integers({rank})});
    target = node.emit("Concat", {target, rest}, {{"axis", int64_t{0}}});
  }
  return {node.emit("Reshape", {node.name(0), target})};
}

Names unsqueezed(OnnxNode& node, const std::string& value, int64_t at) {
  return {node.emit("Unsqueeze", {value, node.model().integers({at})})};
}

Names unsqueeze(OnnxNode& node) {
  return unsqueezed(node, node.name(0), OnnxNode::dimension(node.integer(1), node.rank(0) + 1));
}

Names squeeze(OnnxNode& node) {
  require(node.arguments() == 2, "ONNX: squeeze: got no dimension, expected one");
  if (node.sizes(0)[static_cast<size_t>(node.dimension(1))] != 1) return {node.name(0)};
  return {node.emit("Squeeze", {node.name(0), node.model().integers({node.dimension(1)})})};
}

Names transposed(OnnxNode& node, const Integers& order) {
  return {node.emit("Transpose", {node.name(0)}, {{"perm", order}})};
}

Names permute(OnnxNode& node) {
  auto order = node.integers(1);
  for (auto& axis : order) axis = OnnxNode::dimension(axis, node.rank(0));
  return transposed(node, order);
}

Names transpose(OnnxNode& node) {
  Integers order(static_cast<size_t>(node.rank(0)));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[static_cast<size_t>(node.dimension(1))], order[static_cast<size_t>(node.dimension(2))]);
  return transposed(node, order);
}

Names matrix_transpose(OnnxNode& node) { return node.rank(0) < 2 ? as_it_is(node) : transposed(node, {1, 0}); }

/// A scalar index takes the dimension away.
Names select(OnnxNode& node) {
  const auto index = node.model().constant(torch::scalar_tensor(node.integer(2), torch::kLong));
  return {node.emit("Gather", {node.name(0), index}, {{"axis", node.dimension(1)}})};
}

/// input, dimension, start, end, step.
Names slice(OnnxNode& node) {
  const auto or_number = [&](size_t i, int64_t otherwise) {
    return node.is_none(i) ? node.model().integers({otherwise}) : node.row(i);
  };
  return {node.emit("Slice", {node.name(0), or_number(2, 0), or_number(3, std::numeric_limits<int64_t>::max()),
                              node.model().integers({node.dimension(1)}), or_number(4, 1)})};
}

/// input, dimension, start, length.
Names narrow(OnnxNode& node) {
  const auto start = node.row(2), end = node.emit("Add", {start, node.row(3)});
  return {node.emit("Slice", {node.name(0), start, end, node.model().integers({node.dimension(1)})})};
}

Names concatenate(OnnxNode& node) { return {node.emit("Concat", node.list(0), {{"axis", node.integer(1)}})}; }

Names stack(OnnxNode& node) {
  const int64_t at = OnnxNode::dimension(node.integer(1), node.result_rank());
  Names parts;
  for (const auto& part : node.list(0)) parts.push_back(unsqueezed(node, part, at).front());
  return {node.emit("Concat", parts, {{"axis", at}})};
}

/// As even parts as there can be; their names are the list.
Names chunk(OnnxNode& node) {
  const int64_t size = node.sizes(0)[static_cast<size_t>(node.dimension(2))], parts = node.integer(1);
  Integers sizes;
  for (int64_t left = size, most = (size + parts - 1) / parts; left > 0; left -= most)
    sizes.push_back(std::min(left, most));
  return node.model().node("Split", {node.name(0), node.model().integers(sizes)}, {{"axis", node.dimension(2)}},
                           sizes.size());
}

/// In ONNX 1 keeps a dimension, here -1.
Names expand(OnnxNode& node) {
  if (!node.is_constant(1)) return {node.emit("Expand", {node.name(0), node.row(1)})};
  auto shape = node.integers(1);
  for (auto& size : shape) size = size == -1 ? 1 : size;
  return {node.emit("Expand", {node.name(0), node.model().integers(shape)})};
}

Names gather(OnnxNode& node) {
  return {node.emit("GatherElements", {node.name(0), node.name(2)}, {{"axis", node.dimension(1)}})};
}

Names index_select(OnnxNode& node) {
  return {node.emit("Gather", {node.name(0), node.name(2)}, {{"axis", node.dimension(1)}})};
}

/// One size, as a row of one number.
Names size(OnnxNode& node) {
  return {node.emit("Gather", {node.emit("Shape", {node.name(0)}), node.row(1)}, {{"axis", int64_t{0}}})};
}

}  // namespace

OnnxRules rules_for_shapes() {
  return {{"aten::contiguous", as_it_is},
          {"aten::detach", as_it_is},
          {"aten::clone", as_it_is},
          {"aten::alias", as_it_is},
          {"aten::dropout", as_it_is},  // outside training
          {"aten::view", reshape},
          {"aten::reshape", reshape},
          {"aten::_unsafe_view", reshape},
          {"aten::flatten", flatten},
          {"aten::unsqueeze", unsqueeze},
          {"aten::squeeze", squeeze},
          {"aten::permute", permute},
          {"aten::transpose", transpose},
          {"aten::t", matrix_transpose},
          {"aten::select", select},
          {"aten::slice", slice},
          {"aten::narrow", narrow},
          {"aten::cat", concatenate},
          {"aten::stack", stack},
          {"aten::chunk", chunk},
          {"aten::expand", expand},
          {"aten::gather", gather},
          {"aten::index_select", index_select},
          {"aten::size", size}};
}

}  // namespace scdcf::exchange
