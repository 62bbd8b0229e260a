// A sampled basis as tensors, in the type and on the device of the data it meets.
#pragma once

#include <memory>
#include <vector>

#include "scdcf/basis/sampled_basis.h"
#include "scdcf/ops/constant.h"

namespace scdcf::ops {

/// Copies share everything.
class FilterBank {
 public:
  explicit FilterBank(basis::SampledBasis sampled);

  const basis::SampledBasis& sampled() const { return *sampled_; }
  int64_t modes() const { return sampled_->modes(); }
  int64_t scales() const { return sampled_->grid.count(); }
  int64_t radius(int64_t scale) const { return sampled_->scales.at(static_cast<size_t>(scale)).radius; }
  int64_t largest_radius() const { return sampled_->largest_radius(); }
  /// Per scale [K, L_s, L_s].
  std::vector<at::Tensor> filters(const at::TensorOptions& options) const;
  /// The 1-D factors of a separable basis, one after the other: per scale the columns [A, L_s], then the rows [B, L_s].
  const Constant& factors() const { return factors_; }

 private:
  std::shared_ptr<const basis::SampledBasis> sampled_;
  std::vector<Constant> filters_;
  Constant factors_;
};

}  // namespace scdcf::ops
