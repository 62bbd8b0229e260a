#include <ATen/Dispatch.h>
#include <torch/library.h>

#include "scdcf/ops/cpu/separable_kernel.h"
#include "scdcf/ops/cpu/torch_threads.h"
#include "scdcf/ops/separable_backend.h"

namespace scdcf::ops {
namespace {

struct CpuSeparable {
  static void forward(const SeparableProblem& problem, const SeparableTensors& t) {
    AT_DISPATCH_FLOATING_TYPES(t.input.scalar_type(), "separable_joint_conv", [&] {
      cpu::forward(problem, t.input.data_ptr<scalar_t>(), t.factors.data_ptr<scalar_t>(), t.mixing.data_ptr<scalar_t>(),
                   t.out.data_ptr<scalar_t>(), cpu::torch_threads());
    });
  }
  static void backward(const SeparableProblem& problem, const SeparableTensors& t) {
    AT_DISPATCH_FLOATING_TYPES(t.input.scalar_type(), "separable_joint_conv_backward", [&] {
      cpu::backward(problem, t.input.data_ptr<scalar_t>(), t.factors.data_ptr<scalar_t>(),
                    t.mixing.data_ptr<scalar_t>(), t.grad.data_ptr<scalar_t>(),
                    t.grad_input.defined() ? t.grad_input.data_ptr<scalar_t>() : nullptr,
                    t.grad_mixing.defined() ? t.grad_mixing.data_ptr<scalar_t>() : nullptr, cpu::torch_threads());
    });
  }
};

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, CPU, m) {
  m.impl("separable_joint_conv", TORCH_FN(SeparableOn<CpuSeparable>::forward));
  m.impl("separable_joint_conv_backward", TORCH_FN(SeparableOn<CpuSeparable>::backward));
}

}  // namespace scdcf::ops
