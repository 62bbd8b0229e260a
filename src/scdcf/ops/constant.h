// A table of values that a layer needs beside its parameters.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace scdcf::ops {

/// Double values that never change: not trained, not in a state dict, independent of the size of any image. Copies
/// share them.
///
/// The first use in a type and on a device adds a tensor, made outside every mode of torch (InferenceMode, a tracer),
/// so that it serves every later use. No tensor is ever replaced: threads may share a Constant, and after the first use
/// nothing is copied to the device, so that a network can be captured in a CUDA graph.
class Constant {
 public:
  Constant() = default;
  Constant(std::vector<double> values, std::vector<int64_t> shape);
  /// Values that something else holds already.
  Constant(std::shared_ptr<const std::vector<double>> values, std::vector<int64_t> shape);

  const at::Tensor& on(at::ScalarType type, at::Device device) const;
  /// In the type and on the device of `tensor`.
  const at::Tensor& like(const at::Tensor& tensor) const { return on(tensor.scalar_type(), tensor.device()); }
  const std::vector<int64_t>& shape() const;

 private:
  struct Made;
  std::shared_ptr<Made> made_;
};

}  // namespace scdcf::ops
