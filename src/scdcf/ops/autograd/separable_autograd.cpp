#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/library.h>

#include "scdcf/ops/autograd/graph.h"
#include "scdcf/ops/separable.h"

namespace scdcf::ops {
namespace {

std::tuple<at::Tensor, at::Tensor> call_backward(const at::Tensor& grad, const at::Tensor& input,
                                                 const at::Tensor& mixing, const at::Tensor& factors,
                                                 const SeparableArguments& a, bool input_grad, bool mixing_grad) {
  static const auto op =
      c10::Dispatcher::singleton()
          .findSchemaOrThrow("scdcf::separable_joint_conv_backward", "")
          .typed<std::tuple<at::Tensor, at::Tensor>(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                                    const at::Tensor&, at::IntArrayRef, at::IntArrayRef,
                                                    at::IntArrayRef, int64_t, int64_t, int64_t, int64_t, bool, bool)>();
  return op.call(grad, input, mixing, factors, a.modes, a.radii, a.sources, a.column_modes, a.row_modes, a.stride,
                 a.padding, input_grad, mixing_grad);
}

/// Keeps input, mixing and factors; the row pass is recomputed in the backward, not stored.
struct SeparableBackward : BackwardNode {
  SeparableArguments arguments;

  torch::autograd::variable_list apply(torch::autograd::variable_list&& grads) override {
    if (!grads[0].defined()) return torch::autograd::variable_list(3);
    const auto tensors = kept();
    auto [input, mixing] = call_backward(grads[0], tensors[0], tensors[1], tensors[2], arguments,
                                         task_should_compute_output(0), task_should_compute_output(1));
    return {input, mixing, at::Tensor()};
  }
};

at::Tensor separable_joint_conv_autograd(const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
                                         at::IntArrayRef modes, at::IntArrayRef radii, at::IntArrayRef sources,
                                         int64_t column_modes, int64_t row_modes, int64_t stride, int64_t padding) {
  const SeparableArguments arguments{modes.vec(), radii.vec(), sources.vec(), column_modes, row_modes, stride, padding};
  const auto node = node_behind<SeparableBackward>("separable_joint_conv", input, mixing, factors);
  auto out = [&] {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    return separable_joint_conv(input, mixing, factors, arguments);
  }();
  if (node) {
    for (const auto* tensor : {&input, &mixing, &factors}) node->keep(*tensor);
    node->arguments = arguments;
    torch::autograd::set_history(out, node);
  }
  return out;
}

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, Autograd, m) {
  m.impl("separable_joint_conv", TORCH_FN(separable_joint_conv_autograd));
  // A gradient of the gradient fails clearly instead of being dropped.
  m.impl("separable_joint_conv_backward", torch::autograd::autogradNotImplementedFallback());
}

}  // namespace scdcf::ops
