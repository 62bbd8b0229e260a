#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "scdcf/ops/separable.h"

namespace scdcf::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

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

/// Keeps input and mixing; the row pass is recomputed in the backward, not stored.
class SeparableFunction : public torch::autograd::Function<SeparableFunction> {
 public:
  static Variable forward(AutogradContext* context, const Variable& input, const Variable& mixing,
                          const Variable& factors, at::IntArrayRef modes, at::IntArrayRef radii,
                          at::IntArrayRef sources, int64_t column_modes, int64_t row_modes, int64_t stride,
                          int64_t padding) {
    const SeparableArguments arguments{modes.vec(), radii.vec(), sources.vec(), column_modes,
                                       row_modes,   stride,      padding};
    context->save_for_backward({input, mixing, factors});
    context->saved_data["modes"] = arguments.modes;
    context->saved_data["radii"] = arguments.radii;
    context->saved_data["sources"] = arguments.sources;
    context->saved_data["numbers"] = std::vector<int64_t>{column_modes, row_modes, stride, padding};
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    return separable_joint_conv(input, mixing, factors, arguments);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto saved = context->get_saved_variables();
    const auto numbers = context->saved_data["numbers"].toIntVector();
    const SeparableArguments arguments{context->saved_data["modes"].toIntVector(),
                                       context->saved_data["radii"].toIntVector(),
                                       context->saved_data["sources"].toIntVector(),
                                       numbers[0],
                                       numbers[1],
                                       numbers[2],
                                       numbers[3]};
    auto [input, mixing] = call_backward(grads[0], saved[0], saved[1], saved[2], arguments,
                                         context->needs_input_grad(0), context->needs_input_grad(1));
    variable_list result(10);
    result[0] = input;
    result[1] = mixing;
    return result;
  }
};

at::Tensor separable_joint_conv_autograd(const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
                                         at::IntArrayRef modes, at::IntArrayRef radii, at::IntArrayRef sources,
                                         int64_t column_modes, int64_t row_modes, int64_t stride, int64_t padding) {
  return SeparableFunction::apply(input, mixing, factors, modes, radii, sources, column_modes, row_modes, stride,
                                  padding);
}

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, Autograd, m) {
  m.impl("separable_joint_conv", TORCH_FN(separable_joint_conv_autograd));
  // A gradient of the gradient fails clearly instead of being dropped.
  m.impl("separable_joint_conv_backward", torch::autograd::autogradNotImplementedFallback());
}

}  // namespace scdcf::ops
