// A sampled basis as tensors, in the type and on the device of the data it meets.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "scdcf/basis/sampled_basis.h"

namespace scdcf::ops {

/// Constants of a layer: never trained, never in a state dict. The double values are kept; one conversion to the type
/// and device last asked for is cached, so a training loop converts once.
class FilterBank {
 public:
  explicit FilterBank(basis::SampledBasis sampled) : sampled_(std::move(sampled)) {}
  FilterBank(const FilterBank& other) : sampled_(other.sampled_) {}
  FilterBank& operator=(const FilterBank&) = delete;

  const basis::SampledBasis& sampled() const { return sampled_; }
  int64_t modes() const { return sampled_.modes(); }
  int64_t scales() const { return sampled_.grid.count(); }
  int64_t radius(int64_t scale) const { return sampled_.scales.at(static_cast<size_t>(scale)).radius; }
  int64_t largest_radius() const { return sampled_.largest_radius(); }
  /// Per scale [K, L_s, L_s].
  std::vector<at::Tensor> filters(const at::TensorOptions& options) const;
  /// The 1-D factors of a separable basis, one after the other: per scale the columns [A, L_s], then the rows [B, L_s].
  at::Tensor factors(const at::TensorOptions& options) const;
  /// Any other small table of numbers that belongs to the layer. Tables are told apart by their values; after the first
  /// use nothing is copied to the device any more, so that a network can be captured in a CUDA graph.
  at::Tensor constant(const std::vector<double>& values, at::IntArrayRef shape, const at::TensorOptions& options) const;

 private:
  basis::SampledBasis sampled_;
  mutable std::mutex mutex_;
  mutable std::vector<at::Tensor> cached_filters_;
  mutable at::Tensor cached_factors_;
  mutable std::map<std::vector<double>, at::Tensor> cached_constants_;
};

}  // namespace scdcf::ops
