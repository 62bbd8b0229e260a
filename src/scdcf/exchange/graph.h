// What a function of images computes, as a list of operators: traced once, written in more than one format.
#pragma once

#include <ATen/core/function.h>  // names torch::jit::Graph
#include <torch/types.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace scdcf::exchange {

/// Images [N, C, H, W] to any number of tensors, each with N in front.
using Function = std::function<std::vector<torch::Tensor>(const torch::Tensor& images)>;

/// A function as operators of torch and scdcf on images [N, C, H, W] of one size, N free. Its weights are constants.
struct Graph {
  std::shared_ptr<torch::jit::Graph> operators;
  torch::Tensor example;  ///< images that it was traced with
  std::vector<std::string> outputs;
};

/// How filters that are products of two tables, such as coefficients and a basis, are written.
enum class Filters {
  factored,  ///< as that product where it is smaller; whoever reads the file multiplies
  composed,  ///< as the one table that comes of it
};

/// Text that goes with a file: "classes", "normalisation", ...
using Metadata = std::map<std::string, std::string>;

}  // namespace scdcf::exchange
