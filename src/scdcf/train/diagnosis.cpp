#include "scdcf/train/diagnosis.h"

#include <torch/torch.h>

namespace scdcf::train {
namespace {
bool finite(const torch::Tensor& tensor) { return torch::isfinite(tensor).all().item<bool>(); }
}  // namespace

std::string first_bad_layer(models::Network& network, const torch::Tensor& images) {
  const torch::NoGradGuard no_grad;
  if (!finite(images)) return "the input images";
  for (const auto& item : network.named_parameters())
    if (!finite(item.value())) return "the weights " + item.key();
  const auto outputs = network.features(images);
  for (const auto& output : outputs)
    if (!finite(output.maps)) return output.layer;
  if (finite(network.forward(images))) return "the loss";
  return outputs.empty() ? "the layers" : "the layers behind " + outputs.back().layer;
}

}  // namespace scdcf::train
