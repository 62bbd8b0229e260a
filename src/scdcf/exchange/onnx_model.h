// An ONNX model while it is written: nodes in order, tables, and the values between them, known by names.
#pragma once

#include <torch/types.h>

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "scdcf/exchange/graph.h"
#include "scdcf/exchange/protobuf.h"

namespace scdcf::exchange {

/// 13, of 2021: read by every runtime of today, and what ReduceSum and Unsqueeze below are written for.
constexpr int64_t kOperatorSet = 13;

using Names = std::vector<std::string>;
using Integers = std::vector<int64_t>;

class OnnxModel {
 public:
  using Attributes = std::map<std::string, std::variant<int64_t, double, Integers, std::string>>;

  /// A table; the same one is written once.
  std::string constant(const torch::Tensor& table);
  /// Whole numbers in a row, which many operators take as arguments.
  std::string integers(const Integers& values);

  /// Adds a node of ONNX's operator `type`; gives the names of its outputs.
  Names node(const std::string& type, const Names& inputs, const Attributes& attributes = {}, size_t outputs = 1);

  /// Gives a value that is there a name of its own, as an output [N, ...] of the model with the shape of `like`.
  void add_output(const std::string& value, const std::string& name, const c10::TensorType& like);

  /// The file. Its input is "images", of the shape of `example`, N free.
  std::string bytes(const torch::Tensor& example, const Metadata& metadata) const;

  static constexpr const char* kInput = "images";

 private:
  std::vector<Message> nodes_, tables_, outputs_;
  std::map<std::string, std::string> names_of_tables_;  // by their content
  int next_ = 0;
};

/// ONNX's number for a type of torch. Throws Error where it has none.
int64_t onnx_type(torch::ScalarType type);

}  // namespace scdcf::exchange
