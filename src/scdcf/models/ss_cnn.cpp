// SS-CNN, scale-steerable filters (Ghosh and Gupta 2019): LSI-CNN's idea with kernels of several sizes steered from one
// set of log-radial harmonics, the maximum over the sizes taken in every layer.
#include <cmath>

#include "scdcf/models/built_in.h"
#include "scdcf/models/resnet16.h"
#include "scdcf/models/scale_options.h"
#include "scdcf/models/skeleton.h"
#include "scdcf/nn/lifting_conv.h"
#include "scdcf/nn/pooling.h"

namespace scdcf::models {
namespace {

Convolutions ss_convolutions(const ModelOptions& options, const Kernel& kernel) {
  const basis::ScaleGrid grid(options.scales, options.scale_step, options.finest_width);
  const auto make = [=](int64_t in, int64_t out, int64_t stride) {
    return torch::nn::Sequential(nn::LiftingConv(nn::LiftingConvOptions(in, out, grid)
                                                     .basis("log-radial")
                                                     .modes(options.modes)
                                                     .stride(stride)
                                                     .bias(kernel.bias)),
                                 nn::ScaleMaxProjection());
  };
  const auto modes = static_cast<double>(options.modes);
  return {make, make, modes, modes};
}

Variant ss_variant(const char* name, std::function<void(ModelOptions&)> resolve) {
  return {name,
          "Ghosh and Gupta 2019",
          "translations; each layer invariant to local scalings",
          Maps::plain,
          {"modes", "scales", "scale_step", "finest_width"},
          std::move(resolve),
          ss_convolutions};
}

void resolve_digits_ss(ModelOptions& options) {
  if (options.modes == 0) options.modes = 54;
  // Kernels of 5, 7, .. 13 pixels for 28x28 images, 7, 9, .. 17 for 56x56: the sizes of these geometric widths.
  const bool large = options.image_size >= 56;
  if (options.finest_width == 0) options.finest_width = large ? 7 : 5;
  resolve_scale_set(options, large ? 6 : 5, large ? std::log2(17.0 / 7) / 5 : std::log2(13.0 / 5) / 4);
}

void resolve_natural_ss(ModelOptions& options) {
  if (options.modes == 0) options.modes = 24;
  if (options.finest_width == 0) options.finest_width = 3;
  resolve_scale_set(options, 3, 0.6);
}

}  // namespace

ModelEntry ss_cnn_entry() { return skeleton_entry(ss_variant("ss-cnn", resolve_digits_ss), {30, 60, 90}); }

ModelEntry resnet16_ss_entry() { return resnet16_entry(ss_variant("resnet16-ss", resolve_natural_ss)); }

}  // namespace scdcf::models
