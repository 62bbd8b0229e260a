#include "scdcf/figures/rescaled_codes.h"

#include <torch/torch.h>

#include "scdcf/theory/group_action.h"

namespace scdcf::figures {
namespace {

torch::Tensor code_of_black(models::AutoEncoder& network, const torch::Tensor& images) {
  return network.encode(torch::zeros_like(images.narrow(0, 0, 1)));
}

}  // namespace

torch::Tensor rescaled_images(const torch::Tensor& images, double beta) {
  return theory::act_on_image(images, {beta, 0, 0});
}

torch::Tensor rescaled_code(models::AutoEncoder& network, const torch::Tensor& images, double beta) {
  const theory::GroupElement g{beta, 0, 0};
  const auto ground = code_of_black(network, images);
  const auto code = network.encode(images) - ground;
  return ground + (network.scale_step() > 0 ? theory::act_on_features(code, g, network.scale_step())
                                            : theory::act_on_image(code, g));
}

torch::Tensor relative_errors(const torch::Tensor& found, const torch::Tensor& expected) {
  return (found - expected).flatten(1).norm(2, 1) / expected.flatten(1).norm(2, 1);
}

torch::Tensor code_distances(models::AutoEncoder& network, const torch::Tensor& images, double beta) {
  const auto expected = network.encode(rescaled_images(images, beta));
  return torch::stack({(rescaled_code(network, images, beta) - expected).square().sum(),
                       (expected - code_of_black(network, images)).square().sum()});
}

torch::Tensor thresholded(const torch::Tensor& images) {
  return images.gt(images.amax({1, 2, 3}, true) / 2).to(torch::kFloat);
}

}  // namespace scdcf::figures
