// Compares gradients with central differences, entry by entry.
#pragma once

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>
#include <vector>

namespace scdcf::testing {

using ScalarFunction = std::function<torch::Tensor(const std::vector<torch::Tensor>&)>;

/// `function` computes a tensor of any shape from `leaves`, double tensors that require a gradient; it is reduced to a
/// number with fixed random weights. Every entry of every leaf is perturbed, so keep them small.
inline void expect_gradients_at(const std::function<torch::Tensor()>& function,
                                const std::vector<torch::Tensor>& leaves, double tolerance) {
  const auto output = function();
  ASSERT_TRUE(output.requires_grad()) << "the result does not depend on the inputs";
  const auto weights = torch::randn_like(output);
  const auto scalar = [&] {
    const torch::NoGradGuard no_grad;
    return (function() * weights).sum().item<double>();
  };
  const auto gradients = torch::autograd::grad({(output * weights).sum()}, leaves);
  constexpr double kStep = 1e-5;
  for (size_t i = 0; i < leaves.size(); ++i) {
    auto flat = leaves[i].detach().view({-1});
    const auto gradient = gradients[i].reshape({-1});
    const double scale = 1 + gradient.abs().max().item<double>();
    for (int64_t j = 0; j < flat.numel(); ++j) {
      const double before = flat[j].item<double>();
      flat[j] = before + kStep;
      const double above = scalar();
      flat[j] = before - kStep;
      const double below = scalar();
      flat[j] = before;
      ASSERT_NEAR(gradient[j].item<double>(), (above - below) / (2 * kStep), tolerance * scale)
          << "input " << i << ", entry " << j;
    }
  }
}

/// The same at copies of `inputs`, which are handed to `function`.
inline void expect_gradients(const ScalarFunction& function, std::vector<torch::Tensor> inputs,
                             double tolerance = 1e-6) {
  for (auto& input : inputs) input = input.detach().clone().to(torch::kDouble).requires_grad_(true);
  expect_gradients_at([&] { return function(inputs); }, inputs, tolerance);
}

}  // namespace scdcf::testing
