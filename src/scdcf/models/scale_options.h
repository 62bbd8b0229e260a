// What the networks share whose convolutions are ordinary ones at a set of scales (nn/multi_scale_options.h).
#pragma once

#include "scdcf/models/variant.h"
#include "scdcf/nn/multi_scale_options.h"

namespace scdcf::models {

/// Fills in and checks scales and scale_step.
void resolve_scale_set(ModelOptions& options, int scales, double step);

nn::MultiScaleConvOptions multi_scale_options(const ModelOptions& options, const Kernel& kernel, int64_t in,
                                              int64_t out, int64_t stride);

/// The convolutions of a network whose every layer is a `Layer`.
template <class Layer>
Convolutions multi_scale_convolutions(const ModelOptions& options, const Kernel& kernel) {
  const auto make = [=](int64_t in, int64_t out, int64_t stride) {
    return torch::nn::Sequential(Layer(multi_scale_options(options, kernel, in, out, stride)));
  };
  const auto pixels = static_cast<double>(kernel.size * kernel.size);
  return {make, make, pixels, pixels, options.scale_step};
}

}  // namespace scdcf::models
