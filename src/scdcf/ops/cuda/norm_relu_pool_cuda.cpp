#include <torch/library.h>

#include "scdcf/ops/cuda/norm/norm_relu_pool.h"
#include "scdcf/ops/cuda/torch_call.h"
#include "scdcf/ops/norm_relu_pool_backend.h"

namespace scdcf::ops {
namespace {

struct CudaNormReluPool {
  static void forward(const NormPoolProblem& problem, const NormSettings& settings, const NormReluPoolTensors& t) {
    const auto scratch = cuda::workspace(cuda::norm_workspace(problem), t.input);
    cuda::norm_relu_pool(
        problem, settings,
        {t.input.data_ptr(), t.weight.data_ptr(), t.bias.data_ptr(), t.running_mean.data_ptr(),
         t.running_var.data_ptr(), t.mean.data_ptr<double>(), t.invstd.data_ptr<double>(), t.out.data_ptr()},
        scratch.data_ptr(), cuda::data_type(t.input), at::cuda::getCurrentCUDAStream());
  }
  static void backward(const NormPoolProblem& problem, bool training, const NormReluPoolTensors& t) {
    const auto scratch = cuda::workspace(cuda::norm_workspace(problem), t.input);
    cuda::norm_relu_pool_backward(
        problem, training,
        {t.input.data_ptr(), t.weight.data_ptr(), t.bias.data_ptr(), t.mean.data_ptr<double>(),
         t.invstd.data_ptr<double>(), t.grad.data_ptr(), cuda::pointer_or_null(t.grad_input), t.grad_weight.data_ptr(),
         t.grad_bias.data_ptr()},
        scratch.data_ptr(), cuda::data_type(t.input), at::cuda::getCurrentCUDAStream());
  }
};

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, CUDA, m) {
  m.impl("norm_relu_pool", TORCH_FN(NormReluPoolOn<CudaNormReluPool>::forward));
  m.impl("norm_relu_pool_backward", TORCH_FN(NormReluPoolOn<CudaNormReluPool>::backward));
}

}  // namespace scdcf::ops
