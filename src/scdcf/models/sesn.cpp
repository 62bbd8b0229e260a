// SESN, scale-equivariant steerable networks (Sosnovik, Szmaja and Smeulders 2020): Hermite-Gauss functions of four
// widths sampled at the pixels' centres, zero padding in scale. Its own scaled-digits networks have one tap in scale;
// the paper's comparison gives it three, and so does the default here. The taps reach towards finer scales, as
// ScDCFNet's do, so that basis, sampling and padding alone tell the two apart.
#include <cmath>

#include "scdcf/models/built_in.h"
#include "scdcf/models/expanded_skeleton.h"
#include "scdcf/models/parameter_budget.h"
#include "scdcf/models/scale_options.h"
#include "scdcf/models/skeleton.h"

namespace scdcf::models {
namespace {

ModelOptions resolve_sesn(ModelOptions options) {
  refuse_unknown_options(options, {"modes", "scale-modes", "scale-taps", "scales", "scale-step", "finest-width",
                                   "scale-padding", "pooling", "basis", "algorithm"});
  const bool large = options.image_size >= 56;
  ScaleDefaults defaults;
  defaults.modes = 49;
  defaults.scales = large ? 4 : 3;
  defaults.scale_step = large ? 1.0 / 3 : std::log2(3.0) / 2;  // sigmas 2 2.52 3.17 4, or 1.5 2.6 4.5: factors sqrt(3)
  defaults.finest_width = large ? 7.5 : 13.0 / 3;              // the widest kernel has 15 or 13 pixels
  defaults.basis = large ? "sesn-56" : "sesn-28";
  defaults.scale_padding = "zero";
  defaults.pooling = "max";
  resolve_scale_options(options, defaults);
  const bool own_channels = !options.channels.empty();
  const std::vector<int64_t> of_cnn = {32, 63, 95};
  resolve_skeleton(options, of_cnn);
  if (!own_channels) {
    const double first = options.modes, other = static_cast<double>(options.modes) * options.scale_modes;
    options.channels = match_parameters(of_cnn, skeleton_parameters(options, of_cnn, 49, 49),
                                        [&](const auto& c) { return skeleton_parameters(options, c, first, other); });
  }
  return options;
}

std::shared_ptr<Network> make_sesn(const ModelOptions& options) {
  return make_expanded_skeleton(options, {basis::Sampling::point, /*bias=*/true});
}

}  // namespace

ModelEntry sesn_entry() {
  return {"sesn", "Sosnovik et al. 2020",
          "scalings and translations, jointly, up to what leaks in at the ends of scale", resolve_sesn, make_sesn};
}

}  // namespace scdcf::models
