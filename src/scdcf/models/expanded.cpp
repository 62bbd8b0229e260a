#include "scdcf/models/expanded.h"

#include <algorithm>

#include "scdcf/core/error.h"
#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"

namespace scdcf::models {
namespace {

nn::ScalePadding scale_padding_of(const ModelOptions& options) {
  if (options.scale_padding == "replicate") return nn::ScalePadding::replicate;
  require(options.scale_padding == "zero", "scale_padding: got \"", options.scale_padding,
          "\", expected replicate or zero");
  return nn::ScalePadding::zero;
}

basis::Sampling sampling_of(const ModelOptions& options) {
  if (options.sampling == "area") return basis::Sampling::area;
  require(options.sampling == "point", "sampling: got \"", options.sampling, "\", expected area or point");
  return basis::Sampling::point;
}

nn::Algorithm algorithm_of(const ModelOptions& options) {
  if (options.algorithm == "automatic") return nn::Algorithm::automatic;
  if (options.algorithm == "separable") return nn::Algorithm::separable;
  require(options.algorithm == "composed", "algorithm: got \"", options.algorithm,
          "\", expected automatic, separable or composed");
  return nn::Algorithm::composed;
}

}  // namespace

ExpandedDefaults ExpandedDefaults::for_natural_images(int modes) {
  ExpandedDefaults defaults;
  defaults.modes = modes;
  defaults.scale_modes = defaults.scale_taps = 2;
  defaults.scales = 3;
  defaults.scale_step = 0.5;
  defaults.finest_width = 3.5;
  return defaults;
}

std::vector<std::string> expanded_options() {
  return {"modes",        "scale_modes",   "scale_taps", "scales",    "scale_step",
          "finest_width", "scale_padding", "basis",      "algorithm", "sampling"};
}

void resolve_expanded(ModelOptions& options, const ExpandedDefaults& defaults) {
  if (options.modes == 0) options.modes = defaults.modes;
  if (options.scale_taps == 0) options.scale_taps = defaults.scale_taps;
  if (options.scale_modes == 0) options.scale_modes = std::min(defaults.scale_modes, options.scale_taps);
  if (options.scales == 0) options.scales = defaults.scales;
  if (options.scale_step == 0) options.scale_step = defaults.scale_step;
  if (options.finest_width == 0) options.finest_width = defaults.finest_width;
  if (options.scale_padding.empty()) options.scale_padding = defaults.scale_padding;
  if (options.basis.empty()) options.basis = defaults.basis;
  if (options.sampling.empty()) options.sampling = defaults.sampling;
  if (options.algorithm.empty()) options.algorithm = "automatic";
  scale_padding_of(options);
  sampling_of(options);
  algorithm_of(options);
}

Convolutions expanded_convolutions(const ModelOptions& options, bool bias) {
  const basis::ScaleGrid grid(options.scales, options.scale_step, options.finest_width);
  const auto filters = [=](auto conv, int64_t stride) {
    return conv.basis(options.basis)
        .modes(options.modes)
        .sampling(sampling_of(options))
        .stride(stride)
        .bias(bias)
        .algorithm(algorithm_of(options));
  };
  const auto first = [=](int64_t in, int64_t out, int64_t stride) {
    return torch::nn::Sequential(nn::LiftingConv(filters(nn::LiftingConvOptions(in, out, grid), stride)));
  };
  const auto other = [=](int64_t in, int64_t out, int64_t stride) {
    return torch::nn::Sequential(nn::JointConv(filters(nn::JointConvOptions(in, out, grid)
                                                           .scale_modes(options.scale_modes)
                                                           .scale_taps(options.scale_taps)
                                                           .scale_padding(scale_padding_of(options)),
                                                       stride)));
  };
  const auto modes = static_cast<double>(options.modes);
  return {first, other, modes, modes * options.scale_modes, options.scale_step};
}

}  // namespace scdcf::models
