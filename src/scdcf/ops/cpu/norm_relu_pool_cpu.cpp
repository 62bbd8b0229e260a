#include <ATen/Dispatch.h>
#include <torch/library.h>

#include "scdcf/ops/cpu/norm_relu_pool_kernel.h"
#include "scdcf/ops/cpu/torch_threads.h"
#include "scdcf/ops/norm_relu_pool_backend.h"

namespace scdcf::ops {
namespace {

struct CpuNormReluPool {
  static void forward(const NormPoolProblem& problem, const NormSettings& settings, const NormReluPoolTensors& t) {
    AT_DISPATCH_FLOATING_TYPES(t.input.scalar_type(), "norm_relu_pool", [&] {
      cpu::norm_relu_pool(problem, settings, t.input.data_ptr<scalar_t>(), t.weight.data_ptr<scalar_t>(),
                          t.bias.data_ptr<scalar_t>(), t.running_mean.data_ptr<scalar_t>(),
                          t.running_var.data_ptr<scalar_t>(), t.out.data_ptr<scalar_t>(), t.mean.data_ptr<double>(),
                          t.invstd.data_ptr<double>(), cpu::torch_threads());
    });
  }
  static void backward(const NormPoolProblem& problem, bool training, const NormReluPoolTensors& t) {
    AT_DISPATCH_FLOATING_TYPES(t.input.scalar_type(), "norm_relu_pool_backward", [&] {
      cpu::norm_relu_pool_backward(
          problem, training, t.input.data_ptr<scalar_t>(), t.weight.data_ptr<scalar_t>(), t.bias.data_ptr<scalar_t>(),
          t.mean.data_ptr<double>(), t.invstd.data_ptr<double>(), t.grad.data_ptr<scalar_t>(),
          t.grad_input.defined() ? t.grad_input.data_ptr<scalar_t>() : nullptr, t.grad_weight.data_ptr<scalar_t>(),
          t.grad_bias.data_ptr<scalar_t>(), cpu::torch_threads());
    });
  }
};

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, CPU, m) {
  m.impl("norm_relu_pool", TORCH_FN(NormReluPoolOn<CpuNormReluPool>::forward));
  m.impl("norm_relu_pool_backward", TORCH_FN(NormReluPoolOn<CpuNormReluPool>::backward));
}

}  // namespace scdcf::ops
