#include "scdcf/theory/network_equivariance.h"

#include <torch/torch.h>

namespace scdcf::theory {

torch::Tensor enlarged(const torch::Tensor& images, const torch::Tensor& black, double octaves) {
  return theory::act_on_image(images - black, {octaves, 0, 0}) + black;
}

std::vector<theory::LayerError> network_equivariance_error(models::Network& network, const torch::Tensor& images,
                                                           const torch::Tensor& black, double octaves) {
  const torch::NoGradGuard no_grad;
  const auto original = network.features(images), transformed = network.features(enlarged(images, black, octaves));
  // Without a scale axis the step is never used; it must not be 0 all the same.
  const double step = network.scale_step() > 0 ? network.scale_step() : 1;
  std::vector<theory::LayerError> errors;
  for (size_t i = 0; i < original.size(); ++i)
    errors.push_back({original[i].layer, theory::layer_equivariance_error(transformed[i].maps, original[i].maps,
                                                                          {octaves, 0, 0}, images.size(-1), step)});
  return errors;
}

}  // namespace scdcf::theory
