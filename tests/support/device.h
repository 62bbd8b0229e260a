// The device the tests run on: the CPU, or what SCDCF_TEST_DEVICE names (`make gpu-test` sets it to cuda).
#pragma once

#include <torch/torch.h>

#include <cstdlib>

namespace scdcf::testing {

inline torch::Device device() {
  const char* name = std::getenv("SCDCF_TEST_DEVICE");
  return torch::Device(name == nullptr ? "cpu" : name);
}

inline torch::TensorOptions on_device(torch::ScalarType type) { return torch::TensorOptions(type).device(device()); }

/// ||got - expected|| / ||expected|| in double.
inline double relative_error(const torch::Tensor& got, const torch::Tensor& expected) {
  const auto a = got.detach().to(torch::kCPU, torch::kDouble), b = expected.detach().to(torch::kCPU, torch::kDouble);
  const double scale = b.norm().item<double>();
  return (a - b).norm().item<double>() / (scale > 0 ? scale : 1);
}

}  // namespace scdcf::testing
