#include "scdcf/theory/equivariance.h"

#include <torch/torch.h>

#include <cmath>
#include <sstream>

#include "scdcf/core/error.h"
#include "scdcf/nn/eval_mode_guard.h"

namespace scdcf::theory {
namespace {

at::Tensor without_border(const at::Tensor& maps, int64_t border) {
  require(border >= 0 && 2 * border < maps.size(-1) && 2 * border < maps.size(-2), "equivariance error: border: got ",
          border, ", expected at least 0 and less than half of ", maps.size(-2), " x ", maps.size(-1), " pixels");
  return maps.narrow(-2, border, maps.size(-2) - 2 * border).narrow(-1, border, maps.size(-1) - 2 * border);
}

double relative(const at::Tensor& got, const at::Tensor& expected) {
  return ((got - expected).norm() / expected.norm()).item<double>();
}

}  // namespace

std::vector<double> equivariance_error(const at::Tensor& of_transformed, const at::Tensor& of_original,
                                       const GroupElement& g, double step, int64_t border) {
  require(of_transformed.sizes() == of_original.sizes(), "equivariance error: got features of shapes ",
          of_transformed.sizes(), " and ", of_original.sizes(), ", expected equal ones");
  const auto expected = without_border(act_on_features(of_original, g, step), border);
  const auto got = without_border(of_transformed, border);
  std::vector<double> errors;
  for (int64_t s = 0; s < common_scales(got.size(2), g.beta, step); ++s)
    errors.push_back(relative(got.select(2, s), expected.select(2, s)));
  return errors;
}

std::vector<double> layer_equivariance_error(const at::Tensor& of_transformed, const at::Tensor& of_original,
                                             const GroupElement& g, int64_t image_width, double step, int64_t border) {
  const double factor = static_cast<double>(of_original.size(-1)) / static_cast<double>(image_width);
  const auto here = g.on_grid(factor);
  const auto inner = static_cast<int64_t>(std::lround(static_cast<double>(border) * factor));
  if (of_original.dim() == 5) return equivariance_error(of_transformed, of_original, here, step, inner);
  return {relative(without_border(of_transformed, inner), without_border(act_on_image(of_original, here), inner))};
}

std::vector<LayerError> layerwise_equivariance_error(torch::nn::Sequential& network, const at::Tensor& images,
                                                     const GroupElement& g, double step, int64_t border) {
  require(images.dim() == 4, "equivariance error: images: got shape ", images.sizes(), ", expected [N, C, H, W]");
  const torch::NoGradGuard no_grad;
  const nn::EvalModeGuard in_eval_mode(*network);
  auto original = images, transformed = act_on_image(images, g);
  std::vector<LayerError> errors;
  for (auto& module : *network) {
    original = module.forward(original);
    transformed = module.forward(transformed);
    if (original.dim() < 4) break;  // flattened: there is no place left for the group to act on
    std::ostringstream name;
    name << *module.ptr();
    errors.push_back({name.str(), layer_equivariance_error(transformed, original, g, images.size(-1), step, border)});
  }
  return errors;
}

}  // namespace scdcf::theory
