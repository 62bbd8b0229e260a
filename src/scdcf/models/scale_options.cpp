#include "scdcf/models/scale_options.h"

#include <torch/nn/modules/activation.h>

#include <algorithm>

#include "scdcf/core/error.h"
#include "scdcf/nn/norm_relu_pool.h"
#include "scdcf/nn/pooling.h"

namespace scdcf::models {

void resolve_scale_options(ModelOptions& options, const ScaleDefaults& defaults) {
  if (options.modes == 0) options.modes = defaults.modes;
  if (options.scale_taps == 0) options.scale_taps = defaults.scale_taps;
  if (options.scale_modes == 0) options.scale_modes = std::min(defaults.scale_modes, options.scale_taps);
  if (options.scales == 0) options.scales = defaults.scales;
  if (options.scale_step == 0) options.scale_step = defaults.scale_step;
  if (options.finest_width == 0) options.finest_width = defaults.finest_width;
  if (options.scale_padding.empty()) options.scale_padding = defaults.scale_padding;
  if (options.basis.empty()) options.basis = defaults.basis;
  if (options.algorithm.empty()) options.algorithm = "automatic";
  resolve_pooling(options, defaults.pooling);
  scale_padding_of(options);
  algorithm_of(options);
}

void resolve_scale_set(ModelOptions& options, int scales, double step) {
  if (options.scales == 0) options.scales = scales;
  if (options.scale_step == 0) options.scale_step = step;
  require(options.scales >= 1, options.name, ": scales: got ", options.scales, ", expected at least 1");
  require(options.scale_step > 0, options.name, ": scale step: got ", options.scale_step,
          ", expected a positive number of octaves");
}

nn::ScalePadding scale_padding_of(const ModelOptions& options) {
  if (options.scale_padding == "replicate") return nn::ScalePadding::replicate;
  require(options.scale_padding == "zero", options.name, ": scale padding: got \"", options.scale_padding,
          "\", expected replicate or zero");
  return nn::ScalePadding::zero;
}

nn::Algorithm algorithm_of(const ModelOptions& options) {
  if (options.algorithm == "automatic") return nn::Algorithm::automatic;
  if (options.algorithm == "separable") return nn::Algorithm::separable;
  require(options.algorithm == "composed", options.name, ": algorithm: got \"", options.algorithm,
          "\", expected automatic, separable or composed");
  return nn::Algorithm::composed;
}

void append_scale_block_end(torch::nn::Sequential& block, int64_t channels, const Pooling& pooling,
                            const std::string& kind) {
  if (kind == "average") {
    block->push_back(
        nn::NormReluPool(nn::NormReluPoolOptions(channels).window(pooling.window).padding(pooling.padding)));
  } else {
    const auto window = nn::SpatialPoolOptions(pooling.window).padding(pooling.padding);
    block->push_back(torch::nn::ReLU());
    block->push_back(nn::SpatialMaxPool(window));
    block->push_back(nn::ScaleBatchNorm(channels));
  }
}

}  // namespace scdcf::models
