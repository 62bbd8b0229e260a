#include <ATen/Context.h>
#include <torch/library.h>

#include "scdcf/ops/cuda/separable_kernel.h"
#include "scdcf/ops/cuda/torch_call.h"
#include "scdcf/ops/separable_backend.h"

namespace scdcf::ops {
namespace {

/// TF32 follows the switch that torch's own convolutions obey.
cuda::Precision precision() {
  return at::globalContext().allowTF32CuDNN() ? cuda::Precision::tf32 : cuda::Precision::fp32;
}

struct CudaSeparable {
  static void forward(const SeparableProblem& problem, const SeparableTensors& t) {
    const auto type = cuda::data_type(t.input);
    const auto scratch = cuda::workspace(cuda::forward_workspace(problem, type, precision()), t.input);
    cuda::forward(problem, t.input.data_ptr(), t.factors.data_ptr(), t.mixing.data_ptr(), t.out.data_ptr(),
                  scratch.data_ptr(), type, precision(), at::cuda::getCurrentCUDAStream(),
                  at::cuda::getCurrentCUDABlasHandle());
  }
  static void backward(const SeparableProblem& problem, const SeparableTensors& t) {
    const auto type = cuda::data_type(t.input);
    const auto bytes =
        cuda::backward_workspace(problem, type, precision(), t.grad_input.defined(), t.grad_mixing.defined());
    const auto scratch = cuda::workspace(bytes, t.input);
    cuda::backward(problem, t.input.data_ptr(), t.factors.data_ptr(), t.mixing.data_ptr(), t.grad.data_ptr(),
                   cuda::pointer_or_null(t.grad_input), cuda::pointer_or_null(t.grad_mixing), scratch.data_ptr(), type,
                   precision(), at::cuda::getCurrentCUDAStream(), at::cuda::getCurrentCUDABlasHandle());
  }
};

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, CUDA, m) {
  m.impl("separable_joint_conv", TORCH_FN(SeparableOn<CudaSeparable>::forward));
  m.impl("separable_joint_conv_backward", TORCH_FN(SeparableOn<CudaSeparable>::backward));
}

}  // namespace scdcf::ops
