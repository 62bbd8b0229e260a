// One tensor argument of an operator: what may be asked of it. Each question that fails throws a line which names the
// operator and the argument.
#pragma once

#include <ATen/core/Tensor.h>

#include "scdcf/core/error.h"

namespace scdcf::ops {

/// Kernels keep a size in 32 bits, and the bytes of a tensor in 63.
constexpr int64_t kMostOfASize = (int64_t{1} << 30) - 1;
constexpr double kMostNumbers = 1152921504606846976.0;  // 2^60

/// The product of the sizes fits, empty dimensions counted as one. What is symbolic is left to whoever gives it a
/// value.
inline void check_countable(const char* op, const char* name, c10::SymIntArrayRef sizes) {
  double numbers = 1;
  for (const auto& size : sizes) {
    if (size.is_symbolic()) return;
    require(size <= kMostOfASize, op, ": ", name, ": got shape ", sizes, ", expected no size above ", kMostOfASize);
    numbers *= size > 0 ? static_cast<double>(size.expect_int()) : 1.0;
  }
  require(numbers < kMostNumbers, op, ": ", name, ": got shape ", sizes, ", expected fewer than 2^60 numbers");
}

struct TensorArgument {
  const char *op, *name;
  const at::Tensor& tensor;

  c10::SymIntArrayRef sizes() const { return tensor.sym_sizes(); }

  void must_exist() const {
    require(tensor.defined(), op, ": ", name, ": got no tensor, expected one");
    check_countable(op, name, sizes());
  }
  /// The numbers that a map may be made of.
  void must_be_of_a_map() const {
    const auto type = tensor.scalar_type();
    require(type == at::kFloat || type == at::kDouble || (type == at::kBFloat16 && !tensor.is_cpu()), op, ": ", name,
            ": got type ", type, ", expected Float, Double or, on a GPU, BFloat16");
  }
  void must_have(c10::SymIntArrayRef expected) const {
    require(sizes() == expected, op, ": ", name, ": got shape ", sizes(), ", expected ", expected);
  }
  void must_have(at::ScalarType type, at::Device device) const {
    require(tensor.scalar_type() == type, op, ": ", name, ": got type ", tensor.scalar_type(), ", expected ", type);
    require(tensor.device() == device, op, ": ", name, ": got device ", tensor.device(), ", expected ", device);
  }
  /// Exists, and is what the result of the operator is.
  void must_be_a_result(const at::Tensor& input, c10::SymIntArrayRef expected) const {
    must_exist();
    must_have(expected);
    must_have(input.scalar_type(), input.device());
  }
  /// Exists, and has one number for each channel.
  void must_be_of_channels(const c10::SymInt& channels, at::ScalarType type, at::Device device) const {
    must_exist();
    must_have(c10::SymIntArrayRef(channels));
    must_have(type, device);
  }
};

/// The parameters beside a map: those of bfloat16 maps are float.
inline at::ScalarType parameter_type(const at::Tensor& map) {
  return map.scalar_type() == at::kBFloat16 ? at::kFloat : map.scalar_type();
}

}  // namespace scdcf::ops
