// Vector fields of scale, Marcos et al. 2018. A field of C channels is a tensor [N, 2C, H, W]: all first components,
// then all second ones. The length of a vector is the strength of a response, its angle the scale of what caused it.
#pragma once

#include <torch/nn/cloneable.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/pimpl.h>

#include "scdcf/nn/multi_scale_convolution.h"
#include "scdcf/nn/multi_scale_options.h"
#include "scdcf/nn/options.h"
#include "scdcf/ops/constant.h"

namespace scdcf::nn {

/// [N, 2C, H, W] to [N, C, H, W].
torch::Tensor vector_length(const torch::Tensor& field);

/// One kernel sees the input at the S factors f_i of the options, f_i = 2^(step (i - S/2)). At each pixel the largest
/// response stays, if it is positive, as the length of a vector; the factor where it occurred gives its angle,
/// pi (S-1-i)/S: half a circle, so that the smallest and the largest scale stay apart. An input enlarged by one step
/// turns every vector by pi/S. Where the input is a field itself, its copy of factor f_i is turned as an enlargement by
/// f_i would turn it, so that the layers together are equivariant.
/// Images [N, C, H, W], or fields [N, 2C, H, W] when `field_input`, to fields [N, 2 O, H, W]. Parameters: those of
/// `conv`, which has a kernel for each component.
class VectorFieldConvImpl : public torch::nn::Cloneable<VectorFieldConvImpl> {
 public:
  VectorFieldConvImpl(MultiScaleConvOptions options, bool field_input);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);

  MultiScaleConvOptions options;
  bool field_input;
  torch::nn::Conv2d conv{nullptr};

 private:
  std::shared_ptr<const MultiScaleConvolution> convolution_;
  ops::Constant directions_;  // cosine and sine of the angle of each factor, [2, S]
};
TORCH_MODULE(VectorFieldConv);

/// Of every window the longest vector.
class VectorMaxPoolImpl : public torch::nn::Cloneable<VectorMaxPoolImpl> {
 public:
  explicit VectorMaxPoolImpl(SpatialPoolOptions options = SpatialPoolOptions());
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& field);
  SpatialPoolOptions options;
};
TORCH_MODULE(VectorMaxPool);

/// Divides the vectors of a channel by the standard deviation of their lengths, times a weight; angles stay. Parameter:
/// weight [C]; buffers: running_variance [C], renewed with every batch (running_average.h), and batches, their number.
class VectorBatchNormImpl : public torch::nn::Cloneable<VectorBatchNormImpl> {
 public:
  explicit VectorBatchNormImpl(int64_t channels);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& field);
  int64_t channels;
  torch::Tensor weight, running_variance, batches;
};
TORCH_MODULE(VectorBatchNorm);

}  // namespace scdcf::nn
