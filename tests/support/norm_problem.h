// Random batch-norm, ReLU and pooling problems for tests, and the same by torch's own operators.
#pragma once

#include <torch/torch.h>

#include <vector>

#include "scdcf/ops/norm_relu_pool.h"
#include "support/device.h"

namespace scdcf::testing {

struct NormProblem {
  std::vector<int64_t> shape{3, 5, 2, 7, 6};
  ops::AveragePool pool{2, 2, 0};
  bool training = true;
  double momentum = 0.1, eps = 1e-5;
  bool keeps_zero = false;

  /// x, weight, bias, running mean and running variance, in double.
  std::vector<torch::Tensor> arguments() const {
    const auto options = on_device(torch::kDouble);
    const auto channels = shape[1];
    return {torch::randn(shape, options) * 2 + 0.5, torch::randn({channels}, options),
            torch::randn({channels}, options), torch::randn({channels}, options),
            torch::rand({channels}, options) + 0.5};
  }
  torch::Tensor run(const std::vector<torch::Tensor>& a) const {
    return ops::norm_relu_pool(a[0], a[1], a[2], a[3], a[4], {training, momentum, eps, keeps_zero}, pool);
  }
  torch::Tensor run_torch(const std::vector<torch::Tensor>& a) const {
    const auto z = torch::relu(torch::batch_norm(a[0], a[1], a[2], a[3], a[4], training, momentum, eps, false));
    const int64_t w = pool.window, s = pool.stride, p = pool.padding;
    const auto y = a[0].dim() == 4 ? torch::avg_pool2d(z, {w, w}, {s, s}, {p, p}, false, false)
                                   : torch::avg_pool3d(z, {1, w, w}, {1, s, s}, {0, p, p}, false, false);
    return keeps_zero ? y - of_zero(a) : y;
  }
  /// What batch-norm, by the statistics it used, and ReLU make of zero.
  torch::Tensor of_zero(const std::vector<torch::Tensor>& a) const {
    std::vector<int64_t> others;
    for (int64_t i = 0; i < a[0].dim(); ++i)
      if (i != 1) others.push_back(i);
    const auto mean = training ? a[0].mean(others) : a[3];
    const auto variance = training ? a[0].var(others, /*unbiased=*/false) : a[4];
    std::vector<int64_t> pixel(shape.size(), 1);
    pixel[1] = shape[1];
    return torch::relu(a[2] - mean * a[1] / torch::sqrt(variance + eps)).view(pixel);
  }
  /// y, the gradients of x, weight and bias, and the running statistics afterwards. The arguments are left alone.
  std::vector<torch::Tensor> results(const std::vector<torch::Tensor>& given, const torch::Tensor& cotangent,
                                     bool by_torch = false) const {
    std::vector<torch::Tensor> a;
    for (size_t i = 0; i < given.size(); ++i) a.push_back(given[i].detach().clone().requires_grad_(i < 3));
    const auto y = by_torch ? run_torch(a) : run(a);
    auto found = torch::autograd::grad({y}, {a[0], a[1], a[2]}, {cotangent.to(y.scalar_type())});
    found.insert(found.begin(), y.detach());
    found.push_back(a[3].detach());
    found.push_back(a[4].detach());
    return found;
  }
};

/// x in `type`, the parameters in float beside bfloat16 and in `type` otherwise.
inline std::vector<torch::Tensor> cast_arguments(std::vector<torch::Tensor> a, torch::ScalarType type) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = a[i].to(i > 0 && type == torch::kBFloat16 ? torch::kFloat : type);
  return a;
}

}  // namespace scdcf::testing
