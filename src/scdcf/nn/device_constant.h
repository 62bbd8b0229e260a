// A table of numbers that a layer needs beside its parameters, in the type and on the device of the data it meets.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace scdcf::nn {

/// Never trained, never in a state dict. The double values are kept; the conversion last asked for is cached, so that
/// after the first use nothing is copied to the device any more and a network can be captured in a CUDA graph.
class DeviceConstant {
 public:
  DeviceConstant() = default;
  DeviceConstant(std::vector<double> values, std::vector<int64_t> shape);
  DeviceConstant(const DeviceConstant& other) : values_(other.values_), shape_(other.shape_) {}
  DeviceConstant& operator=(const DeviceConstant& other);

  /// The values as a tensor of `tensor`'s type and device.
  at::Tensor like(const at::Tensor& tensor) const;
  const std::vector<double>& values() const { return values_; }
  const std::vector<int64_t>& shape() const { return shape_; }

 private:
  std::vector<double> values_;
  std::vector<int64_t> shape_;
  mutable std::mutex mutex_;
  mutable at::Tensor cached_;
};

/// Constants that depend on something a layer first learns from its input, such as the size of its maps: made once for
/// each. A copy begins empty.
template <class Key>
class CachedConstants {
 public:
  CachedConstants() = default;
  CachedConstants(const CachedConstants&) {}
  CachedConstants& operator=(const CachedConstants&) {
    const std::lock_guard<std::mutex> lock(mutex_);
    made_.clear();
    return *this;
  }

  template <class Make>
  const DeviceConstant& get(const Key& key, Make&& make) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto& entry = made_[key];
    if (entry == nullptr) entry = std::make_unique<const DeviceConstant>(make());
    return *entry;
  }

 private:
  std::mutex mutex_;
  std::map<Key, std::unique_ptr<const DeviceConstant>> made_;
};

}  // namespace scdcf::nn
