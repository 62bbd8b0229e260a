// Torch's side of the separable joint convolution on any device that computes: checks, layouts, results.
#pragma once

#include <c10/core/DeviceGuard.h>

#include "scdcf/ops/channels_last.h"
#include "scdcf/ops/checks.h"
#include "scdcf/ops/tensor_argument.h"

namespace scdcf::ops {

/// Dense tensors, as a kernel reads and writes them. Those that a direction does not have are undefined.
struct SeparableTensors {
  at::Tensor input, mixing, factors, out, grad, grad_input, grad_mixing;
};

/// Kernels::forward and Kernels::backward (problem, tensors) are the device's.
template <class Kernels>
struct SeparableOn {
  static at::Tensor forward(const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
                            at::IntArrayRef modes, at::IntArrayRef radii, at::IntArrayRef sources, int64_t column_modes,
                            int64_t row_modes, int64_t stride, int64_t padding) {
    const SeparableArguments a{modes.vec(), radii.vec(), sources.vec(), column_modes, row_modes, stride, padding};
    const auto sizes = check_separable_joint_conv(input, mixing, factors, a);
    const c10::DeviceGuard on_device(input.device());
    auto t = dense(input, mixing, factors);
    t.out = empty_channels_last(sizes, input);
    Kernels::forward(make_problem(input, mixing, a, sizes), t);
    return t.out;
  }

  static std::tuple<at::Tensor, at::Tensor> backward(const at::Tensor& grad, const at::Tensor& input,
                                                     const at::Tensor& mixing, const at::Tensor& factors,
                                                     at::IntArrayRef modes, at::IntArrayRef radii,
                                                     at::IntArrayRef sources, int64_t column_modes, int64_t row_modes,
                                                     int64_t stride, int64_t padding, bool input_grad,
                                                     bool mixing_grad) {
    const SeparableArguments a{modes.vec(), radii.vec(), sources.vec(), column_modes, row_modes, stride, padding};
    const auto sizes = check_separable_joint_conv_backward(grad, input, mixing, factors, a);
    const c10::DeviceGuard on_device(input.device());
    auto t = dense(input, mixing, factors);
    t.grad = channels_last(grad);
    if (input_grad) t.grad_input = empty_channels_last(input.sym_sizes(), input);
    if (mixing_grad) t.grad_mixing = at::empty(mixing.sizes(), t.mixing.options());
    Kernels::backward(make_problem(input, mixing, a, sizes), t);
    return {t.grad_input, mixing_grad ? t.grad_mixing.to(mixing.scalar_type()) : at::Tensor()};
  }

 private:
  static SeparableTensors dense(const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors) {
    SeparableTensors t;
    t.input = channels_last(input);
    t.mixing = mixing.to(parameter_type(input)).contiguous();
    t.factors = factors.to(parameter_type(input)).contiguous();
    return t;
  }
};

}  // namespace scdcf::ops
