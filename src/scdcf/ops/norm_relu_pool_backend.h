// Torch's side of batch-norm, ReLU and pooling on any device that computes: checks, layouts, results.
#pragma once

#include <c10/core/DeviceGuard.h>

#include "scdcf/ops/channels_last.h"
#include "scdcf/ops/checks.h"

namespace scdcf::ops {

/// Dense tensors, as a kernel reads and writes them. Those that a direction does not have are undefined.
struct NormReluPoolTensors {
  at::Tensor input, weight, bias, running_mean, running_var, mean, invstd, out;
  at::Tensor grad, grad_input, grad_weight, grad_bias;
};

/// Kernels::forward (problem, settings, tensors) and Kernels::backward (problem, training, tensors) are the device's.
template <class Kernels>
struct NormReluPoolOn {
  using Results = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

  static Results forward(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                         const at::Tensor& running_mean, const at::Tensor& running_var, bool training, double momentum,
                         double eps, int64_t window, int64_t stride, int64_t padding, bool keeps_zero) {
    const NormSettings settings{training, momentum, eps, keeps_zero};
    const AveragePool pool{window, stride, padding};
    const auto sizes = check_norm_relu_pool(input, weight, bias, running_mean, running_var, settings, pool);
    const c10::DeviceGuard on_device(input.device());
    auto t = dense(input, weight, bias);
    t.running_mean = running_mean, t.running_var = running_var;
    t.out = empty_channels_last(sizes, input);
    t.mean = at::empty(weight.sizes(), input.options().dtype(at::kDouble)), t.invstd = at::empty_like(t.mean);
    Kernels::forward(make_norm_pool_problem(input, pool, keeps_zero, sizes), settings, t);
    return {t.out, t.mean, t.invstd};
  }

  static Results backward(const at::Tensor& grad, const at::Tensor& input, const at::Tensor& weight,
                          const at::Tensor& bias, const at::Tensor& mean, const at::Tensor& invstd, bool training,
                          int64_t window, int64_t stride, int64_t padding, bool input_grad, bool keeps_zero) {
    const AveragePool pool{window, stride, padding};
    const auto sizes = check_norm_relu_pool_backward(grad, input, weight, bias, mean, invstd, pool);
    const c10::DeviceGuard on_device(input.device());
    auto t = dense(input, weight, bias);
    t.mean = mean.contiguous(), t.invstd = invstd.contiguous(), t.grad = channels_last(grad);
    if (input_grad) t.grad_input = empty_channels_last(input.sym_sizes(), input);
    t.grad_weight = at::empty_like(t.weight), t.grad_bias = at::empty_like(t.bias);
    Kernels::backward(make_norm_pool_problem(input, pool, keeps_zero, sizes), training, t);
    return {t.grad_input, t.grad_weight, t.grad_bias};
  }

 private:
  static NormReluPoolTensors dense(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias) {
    NormReluPoolTensors t;
    t.input = channels_last(input), t.weight = weight.contiguous(), t.bias = bias.contiguous();
    return t;
  }
};

}  // namespace scdcf::ops
