// The device the tests run on: the CPU, or what SCDCF_TEST_DEVICE names (`make gpu-test` sets it to cuda).
#pragma once

#include <torch/torch.h>

#include <cstdlib>

namespace scdcf::testing {

inline torch::Device device() {
  const char* name = std::getenv("SCDCF_TEST_DEVICE");
  return torch::Device(name == nullptr ? "cpu" : name);
}

/// Tests compare with a reference in double: products are not rounded to TF32 unless a test asks for it.
inline void allow_tf32(bool allow) {
  at::globalContext().setAllowTF32CuDNN(allow);
  at::globalContext().setAllowTF32CuBLAS(allow);
}
inline const bool kExactProducts = (allow_tf32(false), true);

inline torch::TensorOptions on_device(torch::ScalarType type) { return torch::TensorOptions(type).device(device()); }

/// ||got - expected|| / ||expected|| in double.
inline double relative_error(const torch::Tensor& got, const torch::Tensor& expected) {
  const auto a = got.detach().to(torch::kCPU, torch::kDouble), b = expected.detach().to(torch::kCPU, torch::kDouble);
  const double scale = b.norm().item<double>();
  return (a - b).norm().item<double>() / (scale > 0 ? scale : 1);
}

}  // namespace scdcf::testing
