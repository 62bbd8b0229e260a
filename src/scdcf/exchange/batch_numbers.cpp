#include "scdcf/exchange/batch_numbers.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/types.h>

#include <unordered_map>

#include "scdcf/core/error.h"

namespace scdcf::exchange {
namespace {

namespace jit = torch::jit;

/// factor * count + offset.
struct BatchNumber {
  jit::Value* constant;
  int64_t factor, offset;
};

bool same(const c10::IValue& a, const c10::IValue& b) {
  if (a.isTensor() && b.isTensor()) {
    const auto &x = a.toTensor(), &y = b.toTensor();
    return x.defined() == y.defined() && (!x.defined() || x.is_same(y) || (x.sizes() == y.sizes() && x.equal(y)));
  }
  return *a.type() == *b.type() && a == b;
}

/// The constants that differ between two traces of one function.
std::vector<BatchNumber> differences(jit::Graph& graph, jit::Graph& other, int64_t count) {
  constexpr const char* kChanges = "trace: the function does other things for other counts of images: ";
  std::vector<BatchNumber> found;
  std::unordered_map<const jit::Value*, const jit::Value*> partner = {{graph.inputs().front(), other.inputs().front()}};
  auto there = other.nodes().begin();
  for (jit::Node* node : graph.nodes()) {
    const char* name = node->kind().toQualString();
    require(there != other.nodes().end() && there->kind() == node->kind() &&
                there->inputs().size() == node->inputs().size() && there->outputs().size() == node->outputs().size(),
            kChanges, name);
    for (size_t i = 0; i < node->inputs().size(); ++i)
      require(partner.at(node->input(i)) == there->input(i), kChanges, name);
    for (size_t i = 0; i < node->outputs().size(); ++i) partner[node->output(i)] = there->output(i);
    if (node->kind() == c10::prim::Constant) {
      const auto a = *jit::toIValue(node->output()), b = *jit::toIValue(there->output());
      if (a.isInt() && b.isInt() && a.toInt() != b.toInt()) {
        const int64_t factor = b.toInt() - a.toInt();
        found.push_back({node->output(), factor, a.toInt() - factor * count});
      } else {
        require(same(a, b), kChanges, "a ", a.tagKind(), " depends on that count");
      }
    }
    ++there;
  }
  require(there == other.nodes().end(), kChanges, "more of them");
  return found;
}

/// Whether the number is one of a new shape, of which -1 can stand for one.
bool is_only_unknown_of_a_shape(const jit::Value& number, const std::vector<BatchNumber>& all) {
  if (number.uses().size() != 1 || number.uses()[0].user->kind() != c10::prim::ListConstruct) return false;
  const auto* list = number.uses()[0].user;
  for (const auto& use : list->output()->uses())
    if (use.user->kind() != c10::aten::view && use.user->kind() != c10::aten::reshape &&
        use.user->kind() != c10::aten::_unsafe_view)
      return false;
  int unknown = 0;
  for (const auto* entry : list->inputs()) {
    const auto constant = jit::toIValue(entry);
    for (const auto& known : all) unknown += known.constant == entry ? 1 : 0;
    unknown += !constant || constant->toInt() == -1 ? 1 : 0;
  }
  return unknown == 1;
}

}  // namespace

void free_batch(jit::Graph& graph, jit::Graph& other, int64_t count) {
  const auto numbers = differences(graph, other, count);
  if (numbers.empty()) return;
  std::vector<jit::Value*> shapes;
  const jit::WithInsertPoint at_start(*graph.nodes().begin());
  jit::Value* images = nullptr;
  for (const auto& number : numbers) {
    jit::Value* value = nullptr;
    if (is_only_unknown_of_a_shape(*number.constant, numbers)) {
      value = graph.insertConstant(-1);
    } else {
      if (images == nullptr) images = graph.insert(c10::aten::size, {graph.inputs().front(), 0});
      value = number.factor == 1 ? images : graph.insert(c10::aten::mul, {images, number.factor});
      if (number.offset != 0) value = graph.insert(c10::aten::add, {value, number.offset});
    }
    shapes.push_back(value);
  }
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i].constant->replaceAllUsesWith(shapes[i]);
}

}  // namespace scdcf::exchange
