#include "scdcf/ops/filter_bank.h"

#include <ATen/ATen.h>

namespace scdcf::ops {

std::vector<at::Tensor> FilterBank::filters(const at::TensorOptions& options) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!cache_.empty() && cache_.front().dtype() == options.dtype() && cache_.front().device() == options.device())
    return cache_;
  std::vector<at::Tensor> converted;
  for (const auto& scale : sampled_.scales) {
    const int64_t size = scale.size();
    // from_blob only borrows the memory; the copy owns its own, even where type and device stay the same.
    const auto borrowed = at::from_blob(const_cast<double*>(scale.filters.data()), {modes(), size, size}, at::kDouble);
    converted.push_back(borrowed.to(options.device(), c10::typeMetaToScalarType(options.dtype()), false, true));
  }
  cache_ = std::move(converted);
  return cache_;
}

}  // namespace scdcf::ops
