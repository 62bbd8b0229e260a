// Batch normalisation, of the batch at hand or of one that several processes share.
#pragma once

#include <torch/nn/cloneable.h>
#include <torch/nn/options/batchnorm.h>
#include <torch/nn/pimpl.h>

#include "scdcf/nn/batch_part.h"

namespace scdcf::nn {

/// One mean and variance per channel of [N, C, ...]. Torch's own batch-norm, with its options and the names of its
/// state: weight, bias, running_mean, running_var [C], num_batches_tracked. Within a BatchPartScope with a sum it
/// normalises by the statistics of the whole batch.
class BatchNormImpl : public torch::nn::Cloneable<BatchNormImpl> {
 public:
  explicit BatchNormImpl(int64_t channels) : BatchNormImpl(torch::nn::BatchNormOptions(channels)) {}
  explicit BatchNormImpl(const torch::nn::BatchNormOptions& options);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);

  torch::nn::BatchNormOptions options;
  torch::Tensor weight, bias, running_mean, running_var, num_batches_tracked;
};
TORCH_MODULE(BatchNorm);

/// y = scale x + shift, [C] each in the type of the weight: what normalising by these moments comes to.
struct ChannelMap {
  torch::Tensor scale, shift;
};
/// Renews the running statistics as torch's batch-norm does (unbiased variance).
ChannelMap normalisation(const BatchMoments& moments, const torch::Tensor& weight, const torch::Tensor& bias,
                         torch::Tensor& running_mean, torch::Tensor& running_var, double momentum, double eps);

}  // namespace scdcf::nn
