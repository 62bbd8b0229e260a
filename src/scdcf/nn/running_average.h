// What a normalising layer remembers of its batches.
#pragma once

#include <ATen/ATen.h>

namespace scdcf::nn {

/// Renews a tenth of `average` by `value`, and 1/n of it by the n-th value while that is more: the first ten count
/// alike and no starting value has a share. `count`, of average's type, holds n; nothing is asked of the host, so the
/// step can be captured in a CUDA graph.
inline void renew(at::Tensor& average, at::Tensor& count, const at::Tensor& value) {
  const at::NoGradGuard no_grad;
  count.add_(1);
  average.add_((value.detach() - average) * count.reciprocal().clamp_min(0.1));
}

}  // namespace scdcf::nn
