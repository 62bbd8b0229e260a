// Features about their mean, in front of a linear layer whose own outputs are normalised.
#pragma once

#include <torch/nn/cloneable.h>
#include <torch/nn/pimpl.h>

namespace scdcf::nn {

/// x - mean of x over the batch, [N, F]; in eval mode the running mean (running_average.h). Buffers: running_mean [F],
/// batches, their number.
///
/// In front of a linear layer W and a batch-norm it changes nothing while training, where the norm takes the mean away
/// anyway. But the running mean of that norm then is that of W(x - mean) = 0 and does not move when W does: without it,
/// features of one sign and a fast learner put the mean of W x whole deviations away from its average over the last
/// steps, and the network in eval mode is another one than the network that was trained.
class CentringImpl : public torch::nn::Cloneable<CentringImpl> {
 public:
  explicit CentringImpl(int64_t features);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);
  int64_t features;
  torch::Tensor running_mean, batches;
};
TORCH_MODULE(Centring);

}  // namespace scdcf::nn
