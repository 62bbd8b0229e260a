// Images for the tests of networks: smooth blobs, and classes that a small network tells apart at once.
#pragma once

#include <torch/torch.h>

#include <cmath>

#include "support/device.h"

namespace scdcf::testing {

/// exp(-|u - c|^2 / (2 sigma^2)) on size x size pixels, c from the middle of the image: [1, 1, size, size].
inline torch::Tensor blob(int64_t size, double sigma, double y = 0, double x = 0) {
  const auto axis = torch::arange(size, torch::kDouble) - static_cast<double>(size - 1) / 2;
  return torch::exp(-((axis - y).square().view({-1, 1}) + (axis - x).square().view({1, -1})) / (2 * sigma * sigma))
      .view({1, 1, size, size})
      .to(device());
}

/// A few blobs of several sizes near the middle, zero towards the border.
inline torch::Tensor blobs(int64_t size, double scale = 1) {
  auto image = torch::zeros({1, 1, size, size}, on_device(torch::kDouble));
  for (int i = 0; i < 6; ++i)
    image += (i % 2 == 0 ? 1 : -0.5) *
             blob(size, scale * (1.5 + 0.3 * i), 7 * scale * std::sin(2.0 * i), 7 * scale * std::cos(3.0 * i));
  return image;
}

struct Labelled {
  torch::Tensor images, labels;
};

/// Stripes whose direction is the class, with random phase: [count, channels, size, size] and labels of `classes`.
inline Labelled stripes(int64_t count, int64_t size, int64_t channels, int64_t classes) {
  torch::manual_seed(3);
  const auto axis = torch::arange(size, torch::kFloat);
  const auto labels = torch::arange(count, torch::kLong).remainder(classes);
  const auto angle = (labels.to(torch::kFloat) * (3.14159265 / static_cast<double>(classes))).view({-1, 1, 1, 1});
  const auto along = torch::cos(angle) * axis.view({1, 1, 1, -1}) + torch::sin(angle) * axis.view({1, 1, -1, 1});
  const auto images = torch::sin(0.9 * along + 6.28 * torch::rand({count, 1, 1, 1})).repeat({1, channels, 1, 1});
  return {images.contiguous().to(device()), labels.to(device())};
}

}  // namespace scdcf::testing
