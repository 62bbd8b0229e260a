// The forms of one layer that a benchmark compares, and the floor none of them can beat by much.
#pragma once

#include <torch/torch.h>

#include "scdcf/bench/layer_cases.h"
#include "scdcf/nn/filter_expansion.h"

namespace scdcf::bench {

enum class Variant {
  grouped,    // filters composed at the size of the coarsest, one grouped convolution: what other projects do
  composed,   // a loop over scales, each with filters of its own size: the best composed form
  separable,  // row pass, matrix product, column pass
};

const char* name_of(Variant variant);

/// How a form does on one image.
struct Judgement {
  double error;    // the largest relative error of output and gradients against the composed form in double
  double seconds;  // of forward and backward, the first time
};

/// One layer of a benchmark: its constants, an input and coefficients, all on one device.
class BenchLayer {
 public:
  /// `type` is that of the maps; the coefficients of bfloat16 maps are float, as under autocast.
  BenchLayer(const LayerCase& bench_case, torch::Device device, torch::ScalarType type = torch::kFloat);
  torch::Tensor run(Variant variant, const torch::Tensor& input, const torch::Tensor& coefficients) const;
  /// Forward, and with `backward` both gradients.
  void step(Variant variant, bool backward);
  /// The matrix products of the separable form and nothing else: one for the forward, three with the backward.
  void floor(bool backward);
  Judgement judge(Variant variant);

  double multiply_adds(Variant variant) const;  // of the forward
  double map_bytes() const;                     // input plus output feature maps
  /// What the separable form cannot do without: the products that mix channels and modes, and every map once in each
  /// direction. Of the forward, and with `backward` of both; those that the gradient of an image would need are not.
  double product_multiply_adds(bool backward) const;
  double least_bytes(bool backward) const;

 private:
  torch::Tensor grouped(const torch::Tensor& input, const torch::Tensor& coefficients) const;
  std::vector<torch::Tensor> results(Variant variant, torch::ScalarType type) const;

  LayerCase case_;
  nn::FilterExpansion expansion_;
  std::vector<torch::Tensor> reference_;  // made when first asked for: the double form is slow
  torch::Tensor input_, coefficients_, cotangent_, left_, right_;
};

}  // namespace scdcf::bench
