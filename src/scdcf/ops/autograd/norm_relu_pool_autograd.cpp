#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/library.h>

#include "scdcf/ops/autograd/differentiable_gradients.h"
#include "scdcf/ops/autograd/graph.h"
#include "scdcf/ops/norm_relu_pool.h"

namespace scdcf::ops {
namespace {

using Tensors = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

Tensors call_backward(const at::Tensor& grad, const std::vector<at::Tensor>& kept, bool training,
                      const AveragePool& pool, bool input_grad, bool keeps_zero) {
  static const auto op =
      c10::Dispatcher::singleton()
          .findSchemaOrThrow("scdcf::norm_relu_pool_backward", "")
          .typed<Tensors(const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                         const at::Tensor&, bool, int64_t, int64_t, int64_t, bool, bool)>();
  return op.call(grad, kept[0], kept[1], kept[2], kept[3], kept[4], training, pool.window, pool.stride, pool.padding,
                 input_grad, keeps_zero);
}

/// The operator by torch's own. `kept`: input, weight, bias, and the mean and 1 / sqrt(variance + eps) of inference.
at::Tensor norm_relu_pool_by_torch(const std::vector<at::Tensor>& kept, bool training, double eps,
                                   const AveragePool& pool, bool keeps_zero) {
  const auto &input = kept[0], &weight = kept[1], &bias = kept[2];
  const auto x = input.to(weight.scalar_type());
  std::vector<int64_t> others, pixel(static_cast<size_t>(x.dim()), 1);
  pixel[1] = x.size(1);
  for (int64_t axis = 0; axis < x.dim(); ++axis)
    if (axis != 1) others.push_back(axis);
  const auto mean = training ? x.mean(others) : kept[3].to(x.scalar_type());
  const auto scale =
      weight * (training ? (x.var(others, /*unbiased=*/false) + eps).rsqrt() : kept[4].to(x.scalar_type()));
  auto y = at::relu((x - mean.view(pixel)) * scale.view(pixel) + bias.view(pixel));
  const int64_t w = pool.window, s = pool.stride, p = pool.padding;
  y = x.dim() == 4 ? at::avg_pool2d(y, {w, w}, {s, s}, {p, p}, false, /*count_include_pad=*/false)
                   : at::avg_pool3d(y, {1, w, w}, {1, s, s}, {0, p, p}, false, /*count_include_pad=*/false);
  if (keeps_zero) y = y - at::relu(bias - mean * scale).view(pixel);
  return y.to(input.scalar_type());
}

/// Keeps the input, the parameters and two numbers per channel; neither the normalised map nor the mask of the ReLU is
/// stored.
struct NormReluPoolBackward : BackwardNode {
  bool training = true, keeps_zero = false;
  double eps = 0;
  AveragePool pool;

  torch::autograd::variable_list apply(torch::autograd::variable_list&& grads) override {
    if (!grads[0].defined()) return torch::autograd::variable_list(3);
    const auto tensors = kept();
    if (at::GradMode::is_enabled())
      return differentiable_gradients(norm_relu_pool_by_torch(tensors, training, eps, pool, keeps_zero), grads[0],
                                      {tensors[0], tensors[1], tensors[2]});
    const auto [input, weight, bias] =
        call_backward(grads[0], tensors, training, pool, task_should_compute_output(0), keeps_zero);
    return {input, weight, bias};
  }
};

Tensors norm_relu_pool_autograd(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                                const at::Tensor& running_mean, const at::Tensor& running_var, bool training,
                                double momentum, double eps, int64_t window, int64_t stride, int64_t padding,
                                bool keeps_zero) {
  const AveragePool pool{window, stride, padding};
  const auto node = node_behind<NormReluPoolBackward>("norm_relu_pool", input, weight, bias);
  auto results = [&] {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    return norm_relu_pool_with_statistics(input, weight, bias, running_mean, running_var,
                                          {training, momentum, eps, keeps_zero}, pool);
  }();
  if (node) {
    auto& [out, mean, invstd] = results;
    for (const auto* tensor : {&input, &weight, &bias, &std::as_const(mean), &std::as_const(invstd)})
      node->keep(*tensor);
    node->training = training;
    node->keeps_zero = keeps_zero;
    node->eps = eps;
    node->pool = pool;
    torch::autograd::set_history(out, node);  // mean and invstd have no derivative
  }
  return results;
}

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, Autograd, m) {
  m.impl("norm_relu_pool", TORCH_FN(norm_relu_pool_autograd));
  // Called by itself it has no derivative: that fails clearly instead of being dropped.
  m.impl("norm_relu_pool_backward", torch::autograd::autogradNotImplementedFallback());
}

}  // namespace scdcf::ops
