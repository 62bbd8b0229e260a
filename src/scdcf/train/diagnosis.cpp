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
  for (const auto& output : network.features(images))
    if (!finite(output.maps)) return output.layer;
  return finite(network.forward(images)) ? "the loss" : "the last layers";
}

}  // namespace scdcf::train
