// Under autocast the features keep their type, as in torch's batch-norm, and the parameters stay float. Features of a
// type without a kernel, half precision and on a CPU bfloat16, are taken to float.
#include <ATen/ATen.h>
#include <torch/library.h>

#include "scdcf/ops/norm_relu_pool.h"

namespace scdcf::ops {
namespace {

using Tensors = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

template <c10::DispatchKey key>
Tensors norm_relu_pool_autocast(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                                const at::Tensor& running_mean, const at::Tensor& running_var, bool training,
                                double momentum, double eps, int64_t window, int64_t stride, int64_t padding,
                                bool keeps_zero) {
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(key);
  const auto type = input.scalar_type();
  const bool has_kernel = type != at::kHalf && (type != at::kBFloat16 || key == c10::DispatchKey::Autocast);
  return norm_relu_pool_with_statistics(has_kernel ? input : input.to(at::kFloat), weight, bias, running_mean,
                                        running_var, {training, momentum, eps, keeps_zero}, {window, stride, padding});
}

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, Autocast, m) {
  m.impl("norm_relu_pool", TORCH_FN(norm_relu_pool_autocast<c10::DispatchKey::Autocast>));
}
TORCH_LIBRARY_IMPL(scdcf, AutocastCPU, m) {
  m.impl("norm_relu_pool", TORCH_FN(norm_relu_pool_autocast<c10::DispatchKey::AutocastCPU>));
}

}  // namespace scdcf::ops
