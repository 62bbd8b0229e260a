// Under autocast the features keep their type, as in torch's batch-norm, and the parameters stay float. Half-precision
// features, for which there is no kernel, are taken to float.
#include <ATen/ATen.h>
#include <torch/library.h>

#include "scdcf/ops/norm_relu_pool.h"

namespace scdcf::ops {
namespace {

using Tensors = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

Tensors norm_relu_pool_autocast(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                                const at::Tensor& running_mean, const at::Tensor& running_var, bool training,
                                double momentum, double eps, int64_t window, int64_t stride, int64_t padding) {
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::DispatchKey::Autocast);
  return norm_relu_pool_with_statistics(input.scalar_type() == at::kHalf ? input.to(at::kFloat) : input, weight, bias,
                                        running_mean, running_var, {training, momentum, eps},
                                        {window, stride, padding});
}

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, Autocast, m) { m.impl("norm_relu_pool", TORCH_FN(norm_relu_pool_autocast)); }

}  // namespace scdcf::ops
