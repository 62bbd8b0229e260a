// An image set on the device that trains: bytes, turned into normalised numbers a batch at a time.
#pragma once

#include <torch/types.h>

#include "scdcf/data/image_set.h"

namespace scdcf::train {

/// Pixels stay bytes on the device (a quarter of the memory); a batch is gathered and converted there.
class DeviceImages {
 public:
  DeviceImages(const data::ImageSet& set, const std::vector<double>& mean, const std::vector<double>& deviation,
               torch::Device device);

  int64_t count() const { return labels_.size(0); }
  /// The indices first, first + 1, ... on the device: `most` of them, or as many as there are.
  torch::Tensor range(int64_t first, int64_t most) const;
  /// Images [n, C, H, W] as (pixel / 255 - mean) / deviation, for indices [n] on the device.
  torch::Tensor images(const torch::Tensor& indices) const;
  torch::Tensor labels(const torch::Tensor& indices) const { return labels_.index_select(0, indices); }
  torch::Device device() const { return pixels_.device(); }
  /// What a black pixel becomes, [1, C, 1, 1]: the value beyond the border of an image.
  const torch::Tensor& black() const { return offset_; }

 private:
  torch::Tensor pixels_, labels_, factor_, offset_;
};

}  // namespace scdcf::train
