// LSI-CNN, the locally scale-invariant network (Kanazawa, Sharma and Jacobs 2014): the CNN whose every convolution
// keeps the strongest response over several sizes of its input.
#include <cmath>

#include "scdcf/models/built_in.h"
#include "scdcf/models/resnet16.h"
#include "scdcf/models/scale_options.h"
#include "scdcf/models/skeleton.h"
#include "scdcf/nn/local_scale_conv.h"

namespace scdcf::models {
namespace {

Variant lsi_variant(const char* name, int scales, double step) {
  return {name,
          "Kanazawa et al. 2014",
          "translations; each layer invariant to local scalings",
          Maps::plain,
          {"scales", "scale_step"},
          [=](ModelOptions& options) { resolve_scale_set(options, scales, step); },
          multi_scale_convolutions<nn::LocalScaleConv>};
}

}  // namespace

ModelEntry lsi_cnn_entry() {
  return skeleton_entry(lsi_variant("lsi-cnn", 7, std::log2(10.0 / 3) / 3),
                        skeleton_channels());  // factors 0.3 .. 1 .. 3.33
}

ModelEntry resnet16_lsi_entry() { return resnet16_entry(lsi_variant("resnet16-lsi", 3, 0.5)); }

}  // namespace scdcf::models
