#include "scdcf/theory/network_equivariance.h"

#include <torch/torch.h>

#include "scdcf/nn/eval_mode_guard.h"

namespace scdcf::theory {

torch::Tensor enlarged(const torch::Tensor& images, const torch::Tensor& black, double octaves) {
  return act_on_image(images - black, {octaves, 0, 0}) + black;
}

std::vector<LayerError> network_equivariance_error(models::Network& network, const torch::Tensor& images,
                                                   const torch::Tensor& black, double octaves) {
  const torch::NoGradGuard no_grad;
  const nn::EvalModeGuard in_eval_mode(network);
  // T moves these along S alone: all that a plane holds is channels.
  const auto held = [](const models::LayerOutput& output) {
    return output.along_scales ? output.maps.permute({0, 1, 3, 4, 2}).flatten(1, 3).unsqueeze(-1).unsqueeze(-1)
                               : output.maps;
  };
  const auto original = network.features(images), transformed = network.features(enlarged(images, black, octaves));
  std::vector<LayerError> errors;
  for (size_t i = 0; i < original.size(); ++i) {
    if (original[i].along_scales && original[i].maps.size(2) == 1) continue;
    errors.push_back(
        {original[i].layer, layer_equivariance_error(held(transformed[i]), held(original[i]), {octaves, 0, 0},
                                                     images.size(-1), network.scale_step())});
  }
  return errors;
}

AnswerChange answer_change(models::Network& network, const torch::Tensor& images, const torch::Tensor& black,
                           double octaves) {
  const torch::NoGradGuard no_grad;
  const nn::EvalModeGuard in_eval_mode(network);
  const auto changed = enlarged(images, black, octaves);
  const auto before = network.forward(images), after = network.forward(changed);
  AnswerChange change;
  change.scores = ((after - before).norm() / before.norm()).item<double>();
  change.same_class = before.argmax(1).eq(after.argmax(1)).to(torch::kDouble).mean().item<double>();
  const auto here = network.read(images), there = network.read(changed);
  if (here && there) change.moved = (there->size / here->size).log2().median().item<double>();
  return change;
}

}  // namespace scdcf::theory
