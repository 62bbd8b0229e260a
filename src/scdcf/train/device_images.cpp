#include "scdcf/train/device_images.h"

#include <torch/torch.h>

#include <algorithm>

#include "scdcf/train/device_work.h"

namespace scdcf::train {

DeviceImages::DeviceImages(const data::ImageSet& set, const std::vector<double>& mean,
                           const std::vector<double>& deviation, torch::Device device) {
  const DeviceWork no_capture;
  // from_blob wants a mutable pointer; the copy that follows only reads.
  auto* pixels = const_cast<std::uint8_t*>(set.pixels.data());
  pixels_ = torch::from_blob(pixels, {set.count(), set.channels, set.height, set.width}, torch::kUInt8)
                .to(device, false, true);
  auto* labels = const_cast<std::int32_t*>(set.labels.data());
  labels_ = torch::from_blob(labels, {set.count()}, torch::kInt).to(device, torch::kLong);
  const auto centre = torch::tensor(mean, torch::kDouble), spread = torch::tensor(deviation, torch::kDouble);
  factor_ = (1 / (255 * spread)).to(torch::kFloat).view({1, -1, 1, 1}).to(device);
  offset_ = (-centre / spread).to(torch::kFloat).view({1, -1, 1, 1}).to(device);
}

torch::Tensor DeviceImages::range(int64_t first, int64_t most) const {
  return torch::arange(first, std::min(first + most, count()), labels_.options());
}

torch::Tensor DeviceImages::images(const torch::Tensor& indices) const {
  return torch::addcmul(offset_, pixels_.index_select(0, indices).to(torch::kFloat), factor_);
}

}  // namespace scdcf::train
