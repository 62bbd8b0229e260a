// Under autocast to bfloat16 on a GPU the features are bfloat16; the mixing matrices stay float and are rounded inside
// the kernel. Under any other autocast type, and on a CPU, the operator runs in float32.
#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <torch/library.h>
#include <torch/version.h>

#include "scdcf/ops/separable.h"

namespace scdcf::ops {
namespace {

at::ScalarType autocast_type() {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  return at::autocast::get_autocast_dtype(at::kCUDA);
#else
  return at::autocast::get_autocast_gpu_dtype();
#endif
}

template <c10::DispatchKey key>
at::Tensor separable_joint_conv_autocast(const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
                                         at::IntArrayRef modes, at::IntArrayRef radii, at::IntArrayRef sources,
                                         int64_t column_modes, int64_t row_modes, int64_t stride, int64_t padding) {
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(key);
  const bool reduced = key == c10::DispatchKey::Autocast && autocast_type() == at::kBFloat16;
  const auto type = reduced ? at::kBFloat16 : at::kFloat;
  return separable_joint_conv(at::autocast::cached_cast(type, input, input.device().type()),
                              at::autocast::cached_cast(at::kFloat, mixing, mixing.device().type()),
                              factors.to(at::kFloat),
                              {modes.vec(), radii.vec(), sources.vec(), column_modes, row_modes, stride, padding});
}

}  // namespace

TORCH_LIBRARY_IMPL(scdcf, Autocast, m) {
  m.impl("separable_joint_conv", TORCH_FN(separable_joint_conv_autocast<c10::DispatchKey::Autocast>));
}
TORCH_LIBRARY_IMPL(scdcf, AutocastCPU, m) {
  m.impl("separable_joint_conv", TORCH_FN(separable_joint_conv_autocast<c10::DispatchKey::AutocastCPU>));
}

}  // namespace scdcf::ops
