#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/library.h>

#include "scdcf/ops/autograd/differentiable_gradients.h"
#include "scdcf/ops/autograd/graph.h"
#include "scdcf/ops/composed.h"
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

/// The operator by torch's own, with filters composed of their factors.
at::Tensor separable_joint_conv_by_torch(const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
                                         const SeparableArguments& a) {
  const auto numbers = input.options().requires_grad(false);
  const auto modes = at::tensor(a.modes, numbers.dtype(at::kLong)).view({-1, 2});
  std::vector<at::Tensor> filters;
  int64_t first = 0;
  const auto next_factors = [&](int64_t count, int64_t size, int64_t axis) {
    const auto of_axis = factors.flatten().narrow(0, first, count * size).view({count, size}).to(numbers.dtype());
    first += count * size;
    return of_axis.index_select(0, modes.select(1, axis));
  };
  for (const int64_t radius : a.radii) {
    const auto columns = next_factors(a.column_modes, 2 * radius + 1, 0);
    filters.push_back(columns.unsqueeze(2) * next_factors(a.row_modes, 2 * radius + 1, 1).unsqueeze(1));
  }
  return convolve_composed(input, mixing.permute({3, 2, 0, 1}).to(input.scalar_type()),
                           at::eye(mixing.size(0), numbers), filters, a.sources,
                           {a.stride, static_cast<SpatialPadding>(a.padding)});
}

/// Keeps input, mixing and factors; the row pass is recomputed in the backward, not stored.
struct SeparableBackward : BackwardNode {
  SeparableArguments arguments;

  torch::autograd::variable_list apply(torch::autograd::variable_list&& grads) override {
    if (!grads[0].defined()) return torch::autograd::variable_list(3);
    const auto tensors = kept();
    if (at::GradMode::is_enabled())
      return differentiable_gradients(separable_joint_conv_by_torch(tensors[0], tensors[1], tensors[2], arguments),
                                      grads[0], {tensors[0], tensors[1], tensors[2].detach()});
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
  // Called by itself it has no derivative: that fails clearly instead of being dropped.
  m.impl("separable_joint_conv_backward", torch::autograd::autogradNotImplementedFallback());
}

}  // namespace scdcf::ops
