// SESN, scale-equivariant steerable networks (Sosnovik, Szmaja and Smeulders 2020): Hermite-Gauss functions of four
// widths sampled at the pixels' centres, zero padding in scale. Its own scaled-digits networks have one tap in scale;
// the paper's comparison gives it three, and so does the default here. The taps reach towards finer scales, as
// ScDCFNet's do, so that basis, sampling and padding alone tell the two apart.
#include <cmath>

#include "scdcf/models/built_in.h"
#include "scdcf/models/expanded.h"
#include "scdcf/models/resnet16.h"
#include "scdcf/models/skeleton.h"

namespace scdcf::models {
namespace {

Variant sesn_variant(const char* name, std::function<void(ModelOptions&)> resolve) {
  return {
      name,
      "Sosnovik et al. 2020",
      "scalings and translations, jointly, up to what leaks in at the ends of scale",
      Maps::scales,
      expanded_options(),
      std::move(resolve),
      [](const ModelOptions& options, const Kernel& kernel) { return expanded_convolutions(options, kernel.bias); }};
}

void resolve_digits_sesn(ModelOptions& options) {
  const bool large = options.image_size >= 56;
  ExpandedDefaults defaults;
  defaults.modes = 49;
  defaults.scales = large ? 4 : 3;
  defaults.scale_step = large ? 1.0 / 3 : std::log2(3.0) / 2;  // sigmas 2 2.52 3.17 4, or 1.5 2.6 4.5: factors sqrt(3)
  defaults.finest_width = large ? 7.5 : 13.0 / 3;              // the widest kernel has 15 or 13 pixels
  defaults.basis = large ? "sesn-56" : "sesn-28";
  defaults.scale_padding = "zero";
  defaults.sampling = "point";
  resolve_expanded(options, defaults);
}

void resolve_natural_sesn(ModelOptions& options) {
  auto defaults = ExpandedDefaults::for_natural_images(9);
  defaults.basis = "sesn-96";
  defaults.scale_padding = "zero";
  defaults.sampling = "point";
  resolve_expanded(options, defaults);
}

}  // namespace

ModelEntry sesn_entry() { return skeleton_entry(sesn_variant("sesn", resolve_digits_sesn), {}); }

ModelEntry resnet16_sesn_entry() { return resnet16_entry(sesn_variant("resnet16-sesn", resolve_natural_sesn)); }

}  // namespace scdcf::models
