// ScDCFNet (Section 6.3): lifting and joint convolutions with filters integrated over each pixel, maximum over scale.
#include "scdcf/models/built_in.h"
#include "scdcf/models/expanded.h"
#include "scdcf/models/resnet16.h"
#include "scdcf/models/skeleton.h"

namespace scdcf::models {
namespace {

Variant scdcf_variant(const char* name, std::function<void(ModelOptions&)> resolve) {
  return {name,
          "Zhu et al. 2022",
          "scalings and translations, jointly",
          Maps::scales,
          expanded_options(),
          std::move(resolve),
          [](const ModelOptions& options, const Kernel&) {
            // The batch-norm behind the convolution has a bias.
            auto convolutions = expanded_convolutions(options, /*bias=*/false);
            convolutions.channel_multiple = 4;
            return convolutions;
          }};
}

void resolve_digits_scdcf(ModelOptions& options) {
  ExpandedDefaults defaults;
  // Five scales over one octave; at 56 pixels filters of 6 to 12 do better than those of twice the size at 28.
  defaults.finest_width = options.image_size >= 56 ? 6 : 5;
  resolve_expanded(options, defaults);
  if (options.pooling.empty()) options.pooling = "average";
}

void resolve_natural_scdcf(ModelOptions& options) {
  resolve_expanded(options, ExpandedDefaults::for_natural_images(8));
}

}  // namespace

ModelEntry scdcfnet_entry() { return skeleton_entry(scdcf_variant("scdcfnet", resolve_digits_scdcf), {32, 64, 96}); }

ModelEntry resnet16_scdcf_entry() { return resnet16_entry(scdcf_variant("resnet16-scdcf", resolve_natural_scdcf)); }

}  // namespace scdcf::models
