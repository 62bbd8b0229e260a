// Layers and tensors as the tests want them: in double, from a fixed draw, on the device of the tests.
#pragma once

#include <utility>
#include <vector>

#include "support/device.h"
#include "support/gradcheck.h"

namespace scdcf::testing {

template <class Layer>
void to_double(Layer& layer) {
  layer->to(device());
  layer->to(torch::kDouble);
}

template <class Layer, class... Arguments>
Layer double_layer(uint64_t seed, Arguments&&... arguments) {
  torch::manual_seed(seed);
  Layer layer(std::forward<Arguments>(arguments)...);
  to_double(layer);
  return layer;
}

inline torch::Tensor random_tensor(const std::vector<int64_t>& shape, torch::ScalarType type = torch::kDouble) {
  return torch::randn(shape, on_device(type));
}

/// Gradients of every entry of the input and of every parameter.
template <class Layer>
void expect_layer_gradients(Layer layer, const std::vector<int64_t>& input_shape) {
  torch::manual_seed(12);
  to_double(layer);
  const auto input = random_tensor(input_shape).requires_grad_(true);
  auto leaves = layer->parameters();
  leaves.push_back(input);
  expect_gradients_at([&] { return layer->forward(input); }, leaves, 1e-5);
}

}  // namespace scdcf::testing
