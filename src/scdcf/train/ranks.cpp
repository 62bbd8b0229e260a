#include "scdcf/train/ranks.h"

#include <torch/torch.h>

#include "scdcf/core/error.h"

namespace scdcf::train {

void require_same_data(distributed::Group& group, const std::string& subject, const std::string& checksum) {
  const auto sums = group.exchange(subject, checksum);
  for (size_t rank = 0; rank < sums.size(); ++rank)
    require(sums[rank] == sums[0], "training: rank ", rank, " has other data than rank 0: checksum ", sums[rank],
            ", expected ", sums[0]);
}

bool on_any_rank(distributed::Group& group, bool here) {
  const auto count = torch::full({1}, here ? 1.0 : 0.0, torch::TensorOptions(group.device()));
  group.sum(count);
  return count.item<float>() > 0;
}

void take_state_of_first(distributed::Group& group, torch::nn::Module& network, Optimizer& optimizer) {
  const torch::NoGradGuard no_grad;
  const auto take = [&](const torch::Tensor& tensor) {
    const auto dense = tensor.contiguous();
    group.broadcast(dense);
    if (!group.is_first() && !dense.is_same(tensor)) tensor.copy_(dense);
  };
  for (const auto& parameter : network.parameters()) take(parameter);
  for (const auto& buffer : network.buffers()) take(buffer);
  for (const auto& [name, tensor] : optimizer.state()) take(tensor);
}

void take_weights_of_first(distributed::Group& group, TensorMap& weights) {
  for (auto& [name, tensor] : weights) {
    const auto on_device = tensor.to(group.device()).contiguous();
    group.broadcast(on_device);
    tensor = on_device.cpu();
  }
}

}  // namespace scdcf::train
