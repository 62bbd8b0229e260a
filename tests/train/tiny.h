// Little data and little networks, so that a whole run takes seconds.
#pragma once

#include <torch/torch.h>

#include "scdcf/data/glyphs.h"
#include "scdcf/data/image_set.h"
#include "scdcf/data/scaled.h"
#include "scdcf/models/registry.h"
#include "scdcf/train/trainer.h"
#include "support/device.h"

namespace scdcf::testing {

/// Scaled glyphs of 28 x 28 pixels.
inline data::Splits tiny_splits(int64_t train = 60, int64_t validation = 40, int64_t test = 40, int size = 28) {
  const auto glyphs = data::draw_glyphs(0, 2 * (train + validation + test));
  data::ScalingOptions options;
  options.train = train;
  options.validation = validation;
  options.test = test;
  options.size = size;
  auto splits = data::make_scaled(data::pool_of(glyphs), options);
  splits.name = "tiny";
  splits.mean = {0.1};
  splits.deviation = {0.3};
  return splits;
}

/// A ScDCFNet of a few channels, trained on the device of the tests.
inline train::RunConfig tiny_config() {
  train::RunConfig config;
  config.model.channels = {4, 4, 4};
  config.model.scales = 3;
  config.model.hidden = 32;
  config.train.batch = 25;
  config.train.epochs = 2;
  config.train.device = device().str();
  return config;
}

inline torch::Tensor all_indices(const train::DeviceImages& images) { return images.range(0, images.count()); }

inline bool same_weights(const torch::nn::Module& a, const torch::nn::Module& b) {
  const auto one = train::weights_of(a), other = train::weights_of(b);
  if (one.size() != other.size()) return false;
  for (const auto& [name, tensor] : one)
    if (other.count(name) == 0 || !torch::equal(tensor, other.at(name))) return false;
  return true;
}

}  // namespace scdcf::testing
