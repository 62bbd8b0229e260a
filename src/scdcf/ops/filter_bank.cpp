#include "scdcf/ops/filter_bank.h"

#include <ATen/ATen.h>

namespace scdcf::ops {
namespace {

bool fits(const at::Tensor& tensor, const at::TensorOptions& options) {
  return tensor.dtype() == options.dtype() && tensor.device() == options.device();
}

/// from_blob only borrows the memory; the copy owns its own, even where type and device stay the same.
at::Tensor convert(const std::vector<double>& values, at::IntArrayRef shape, const at::TensorOptions& options) {
  return at::from_blob(const_cast<double*>(values.data()), shape, at::kDouble)
      .to(options.device(), c10::typeMetaToScalarType(options.dtype()), /*non_blocking=*/false, /*copy=*/true);
}

}  // namespace

std::vector<at::Tensor> FilterBank::filters(const at::TensorOptions& options) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!cached_filters_.empty() && fits(cached_filters_.front(), options)) return cached_filters_;
  cached_filters_.clear();
  for (const auto& scale : sampled_.scales)
    cached_filters_.push_back(convert(scale.filters, {modes(), scale.size(), scale.size()}, options));
  return cached_filters_;
}

at::Tensor FilterBank::factors(const at::TensorOptions& options) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (cached_factors_.defined() && fits(cached_factors_, options)) return cached_factors_;
  std::vector<double> packed;
  for (const auto& scale : sampled_.scales) {
    packed.insert(packed.end(), scale.columns.begin(), scale.columns.end());
    packed.insert(packed.end(), scale.rows.begin(), scale.rows.end());
  }
  cached_factors_ = convert(packed, {static_cast<int64_t>(packed.size())}, options);
  return cached_factors_;
}

at::Tensor FilterBank::constant(const std::vector<double>& values, at::IntArrayRef shape,
                                const at::TensorOptions& options) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& cached = cached_constants_[values];
  if (!cached.defined() || !fits(cached, options)) cached = convert(values, shape, options);
  return cached.view(shape);
}

}  // namespace scdcf::ops
