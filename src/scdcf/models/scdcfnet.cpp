// ScDCFNet for the scaled digits (Section 6.3): lifting, two joint convolutions, average pooling, maximum over scale.
#include "scdcf/models/built_in.h"
#include "scdcf/models/expanded_skeleton.h"
#include "scdcf/models/scale_options.h"
#include "scdcf/models/skeleton.h"

namespace scdcf::models {
namespace {

ModelOptions resolve_scdcfnet(ModelOptions options) {
  refuse_unknown_options(options, {"modes", "scale-modes", "scale-taps", "scales", "scale-step", "finest-width",
                                   "scale-padding", "pooling", "basis", "algorithm"});
  resolve_skeleton(options, {32, 64, 96});
  ScaleDefaults defaults;
  // Five scales over one octave; at 56 pixels filters of 6 to 12 do better than those of twice the size at 28.
  defaults.finest_width = options.image_size >= 56 ? 6 : 5;
  resolve_scale_options(options, defaults);
  return options;
}

std::shared_ptr<Network> make_scdcfnet(const ModelOptions& options) {
  // No bias: the batch-norm behind the convolution has one.
  return make_expanded_skeleton(options, {basis::Sampling::area, /*bias=*/false});
}

}  // namespace

ModelEntry scdcfnet_entry() {
  return {"scdcfnet", "Zhu et al. 2022", "scalings and translations, jointly", resolve_scdcfnet, make_scdcfnet};
}

}  // namespace scdcf::models
