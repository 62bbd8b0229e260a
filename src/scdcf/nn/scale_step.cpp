#include "scdcf/nn/scale_step.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>

#include "scdcf/core/error.h"

namespace scdcf::nn {
namespace {

using torch::autograd::Node;

// A node is kept by std::shared_ptr in LibTorch 1.13, by c10::intrusive_ptr in today's.
template <class T>
std::weak_ptr<T> weak(const std::shared_ptr<T>& pointer) {
  return pointer;
}
template <class T, class Null>
c10::weak_intrusive_ptr<T, Null> weak(const c10::intrusive_ptr<T, Null>& pointer) {
  return c10::weak_intrusive_ptr<T, Null>(pointer);
}

/// An output of a layer: the tensor, and what computes its gradient. Neither is kept alive.
struct Output {
  decltype(weak(at::Tensor().getIntrusivePtr())) tensor;
  decltype(weak(torch::autograd::Edge().function)) node;
  double step;
  int64_t scales;
};

constexpr size_t kRemembered = 64, kSearched = 64;
thread_local std::deque<Output> outputs;

template <class Condition>
const Output* find_output(const Condition& fits) {
  const auto found = std::find_if(outputs.begin(), outputs.end(), fits);
  return found == outputs.end() ? nullptr : &*found;
}

/// The output that the features are, or the nearest that they were computed from.
const Output* source_of(const at::Tensor& features) {
  const auto is_input = [&](const Output& o) {
    return o.tensor._unsafe_get_target() == features.unsafeGetTensorImpl();
  };
  if (const auto* output = find_output(is_input)) return output;
  std::deque<const Node*> next;
  if (features.requires_grad()) next.push_back(features.grad_fn().get());
  for (size_t searched = 0; searched < kSearched && !next.empty(); ++searched, next.pop_front()) {
    if (next.front() == nullptr) continue;
    if (const auto* output = find_output([&](const Output& o) { return o.node.lock().get() == next.front(); }))
      return output;
    for (const auto& edge : next.front()->next_edges()) next.push_back(edge.function.get());
  }
  return nullptr;
}

}  // namespace

at::Tensor with_step(const at::Tensor& features, double step) {
  const auto node = features.requires_grad() ? features.grad_fn() : nullptr;
  outputs.push_front(
      {weak(features.getIntrusivePtr()), weak(node), step, features.sym_size(2).guard_int(__FILE__, __LINE__)});
  if (outputs.size() > kRemembered) outputs.pop_back();
  return features;
}

void check_step(const at::Tensor& features, double step, const char* name) {
  const auto* output = source_of(features);
  const auto scales = features.sym_size(2);
  if (output == nullptr || scales == 1 || scales != output->scales) return;
  require(std::abs(output->step - step) <= 1e-6 * step, name, ": input: got features with scales ", output->step,
          " octaves apart, expected ", step);
}

}  // namespace scdcf::nn
