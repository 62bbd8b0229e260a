// SI-CNN, the scale-invariant network (Xu et al. 2014): columns with rescaled copies of the same kernels, kept apart
// until the maximum over the columns behind the last block.
#include <cmath>

#include "scdcf/models/built_in.h"
#include "scdcf/models/resnet16.h"
#include "scdcf/models/scale_options.h"
#include "scdcf/models/skeleton.h"
#include "scdcf/nn/rescaled_kernel_conv.h"

namespace scdcf::models {
namespace {

Variant si_variant(const char* name, int scales, double step) {
  return {name,
          "Xu et al. 2014",
          "scalings and translations, each column of scale by itself",
          Maps::scales,
          {"scales", "scale_step"},
          [=](ModelOptions& options) { resolve_scale_set(options, scales, step); },
          multi_scale_convolutions<nn::RescaledKernelConv>};
}

}  // namespace

ModelEntry si_cnn_entry() {
  return skeleton_entry(si_variant("si-cnn", 7, std::log2(10.0 / 3) / 3),
                        skeleton_channels());  // factors 0.3 .. 1 .. 3.33
}

ModelEntry resnet16_si_entry() { return resnet16_entry(si_variant("resnet16-si", 3, 0.5)); }

}  // namespace scdcf::models
