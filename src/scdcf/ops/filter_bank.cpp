#include "scdcf/ops/filter_bank.h"

#include <utility>

namespace scdcf::ops {

FilterBank::FilterBank(basis::SampledBasis sampled)
    : sampled_(std::make_shared<const basis::SampledBasis>(std::move(sampled))) {
  std::vector<double> packed;
  for (const auto& scale : sampled_->scales) {
    const std::shared_ptr<const std::vector<double>> values(sampled_, &scale.filters);
    filters_.emplace_back(values, std::vector<int64_t>{modes(), scale.size(), scale.size()});
    packed.insert(packed.end(), scale.columns.begin(), scale.columns.end());
    packed.insert(packed.end(), scale.rows.begin(), scale.rows.end());
  }
  const auto count = static_cast<int64_t>(packed.size());
  factors_ = Constant(std::move(packed), {count});
}

std::vector<at::Tensor> FilterBank::filters(const at::TensorOptions& options) const {
  std::vector<at::Tensor> tensors;
  for (const auto& filters : filters_)
    tensors.push_back(filters.on(c10::typeMetaToScalarType(options.dtype()), options.device()));
  return tensors;
}

}  // namespace scdcf::ops
