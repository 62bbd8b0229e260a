#include "scdcf/ops/constant.h"

#include <ATen/ATen.h>
#include <ATen/TracerMode.h>
#include <c10/core/InferenceMode.h>

#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <tuple>
#include <utility>

#include "scdcf/core/error.h"

namespace scdcf::ops {

struct Constant::Made {
  using Key = std::tuple<at::ScalarType, at::DeviceType, at::DeviceIndex>;

  std::shared_ptr<const std::vector<double>> values;
  std::vector<int64_t> shape;
  std::mutex mutex;
  std::map<Key, at::Tensor> tensors;  // whose references stay valid when others are added
};

Constant::Constant(std::vector<double> values, std::vector<int64_t> shape)
    : Constant(std::make_shared<const std::vector<double>>(std::move(values)), std::move(shape)) {}

Constant::Constant(std::shared_ptr<const std::vector<double>> values, std::vector<int64_t> shape)
    : made_(std::make_shared<Made>()) {
  const auto count = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<int64_t>());
  require(count == static_cast<int64_t>(values->size()), "Constant: got ", values->size(), " values, expected ", count,
          ", the product of the shape");
  made_->values = std::move(values);
  made_->shape = std::move(shape);
}

const at::Tensor& Constant::on(at::ScalarType type, at::Device device) const {
  const std::lock_guard<std::mutex> lock(made_->mutex);
  auto& tensor = made_->tensors[{type, device.type(), device.index()}];
  if (!tensor.defined()) {
    const c10::InferenceMode ordinary(false);
    const at::NoGradGuard no_grad;
    const at::tracer::impl::NoTracerDispatchMode untraced;
    // from_blob borrows the memory; the copy owns its own, even where type and device stay the same.
    tensor = at::from_blob(const_cast<double*>(made_->values->data()), made_->shape, at::kDouble)
                 .to(device, type, /*non_blocking=*/false, /*copy=*/true);
  }
  return tensor;
}

const std::vector<int64_t>& Constant::shape() const { return made_->shape; }

}  // namespace scdcf::ops
