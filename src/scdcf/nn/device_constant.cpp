#include "scdcf/nn/device_constant.h"

#include <ATen/ATen.h>

#include <numeric>

#include "scdcf/core/error.h"

namespace scdcf::nn {

DeviceConstant::DeviceConstant(std::vector<double> values, std::vector<int64_t> shape)
    : values_(std::move(values)), shape_(std::move(shape)) {
  const auto numbers = std::accumulate(shape_.begin(), shape_.end(), int64_t{1}, std::multiplies<int64_t>());
  require(numbers == static_cast<int64_t>(values_.size()), "DeviceConstant: got ", values_.size(), " values, expected ",
          numbers, ", the product of the shape");
}

DeviceConstant& DeviceConstant::operator=(const DeviceConstant& other) {
  if (this == &other) return *this;
  const std::lock_guard<std::mutex> lock(mutex_);
  values_ = other.values_;
  shape_ = other.shape_;
  cached_ = at::Tensor();
  return *this;
}

at::Tensor DeviceConstant::like(const at::Tensor& tensor) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!cached_.defined() || cached_.scalar_type() != tensor.scalar_type() || cached_.device() != tensor.device()) {
    // from_blob only borrows the memory; the copy owns its own, even where type and device stay the same.
    cached_ = at::from_blob(const_cast<double*>(values_.data()), shape_, at::kDouble)
                  .to(tensor.device(), tensor.scalar_type(), /*non_blocking=*/false, /*copy=*/true);
  }
  return cached_;
}

}  // namespace scdcf::nn
