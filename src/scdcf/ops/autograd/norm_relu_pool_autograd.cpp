#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "scdcf/ops/norm_relu_pool.h"

namespace scdcf::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;
using Tensors = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

Tensors call_backward(const at::Tensor& grad, const variable_list& saved, bool training, int64_t window, int64_t stride,
                      int64_t padding, bool input_grad) {
  static const auto op =
      c10::Dispatcher::singleton()
          .findSchemaOrThrow("scdcf::norm_relu_pool_backward", "")
          .typed<Tensors(const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                         const at::Tensor&, bool, int64_t, int64_t, int64_t, bool)>();
  return op.call(grad, saved[0], saved[1], saved[2], saved[3], saved[4], training, window, stride, padding, input_grad);
}

/// Keeps the input and two numbers per channel; neither the normalised map nor the mask of the ReLU is stored.
class NormReluPoolFunction : public torch::autograd::Function<NormReluPoolFunction> {
 public:
  static variable_list forward(AutogradContext* context, const Variable& input, const Variable& weight,
                               const Variable& bias, const Variable& running_mean, const Variable& running_var,
                               bool training, double momentum, double eps, int64_t window, int64_t stride,
                               int64_t padding) {
    const auto [out, mean, invstd] = [&] {
      const at::AutoDispatchBelowADInplaceOrView below_autograd;
      return norm_relu_pool_with_statistics(input, weight, bias, running_mean, running_var, {training, momentum, eps},
                                            {window, stride, padding});
    }();
    context->save_for_backward({input, weight, bias, mean, invstd});
    context->mark_non_differentiable({mean, invstd});
    context->saved_data["training"] = training;
    context->saved_data["pool"] = std::vector<int64_t>{window, stride, padding};
    return {out, mean, invstd};
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto pool = context->saved_data["pool"].toIntVector();
    const auto [input, weight, bias] =
        call_backward(grads[0], context->get_saved_variables(), context->saved_data["training"].toBool(), pool[0],
                      pool[1], pool[2], context->needs_input_grad(0));
    variable_list result(11);
    result[0] = input;
    result[1] = weight;
    result[2] = bias;
    return result;
  }
};

Tensors norm_relu_pool_autograd(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                                const at::Tensor& running_mean, const at::Tensor& running_var, bool training,
                                double momentum, double eps, int64_t window, int64_t stride, int64_t padding) {
  const auto results = NormReluPoolFunction::apply(input, weight, bias, running_mean, running_var, training, momentum,
                                                   eps, window, stride, padding);
  return {results[0], results[1], results[2]};
}

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, Autograd, m) {
  m.impl("norm_relu_pool", TORCH_FN(norm_relu_pool_autograd));
  // A gradient of the gradient fails clearly instead of being dropped.
  m.impl("norm_relu_pool_backward", torch::autograd::autogradNotImplementedFallback());
}

}  // namespace scdcf::ops
