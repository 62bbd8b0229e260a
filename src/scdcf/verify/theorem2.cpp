#include <algorithm>
#include <cmath>

#include "scdcf/theory/bounds.h"
#include "scdcf/theory/deformation.h"
#include "scdcf/theory/group_action.h"
#include "scdcf/theory/norms.h"
#include "scdcf/verify/small_net.h"
#include "scdcf/verify/test_images.h"
#include "scdcf/verify/verify.h"

namespace scdcf::verify {

Finding theorem2() {
  Finding claim{"theorem2",
                "Theorem 2: scaling and a deformation together move the features by less than the bound",
                report::Table({"beta", "|grad tau|", "|tau| (px)", "left side", "right side", "left/right"}),
                false,
                "",
                {}};
  constexpr int64_t kSize = 64;
  constexpr double kStep = 0.25;
  constexpr int kLayers = 2;
  const basis::ScaleGrid grid(7, kStep, 4.0);
  SmallNet net(grid, kLayers, 2, nn::ScalePadding::replicate, 4);
  net.align();
  net.saturate_stability();
  const auto image = soft_strokes(2, kSize, 7);
  const auto original = net.features(image).back();
  claim.holds = true;
  claim.plot = {"Theorem 2: measured left side (lines) and bound (dashes)",
                "|grad tau|",
                "||x[D D_tau x] - T x[x]||",
                true,
                true,
                {}};
  for (const double beta : {-0.5, 0.0, 0.5}) {
    report::Series measured{"beta " + std::to_string(beta).substr(0, beta < 0 ? 4 : 3), {}, {}};
    report::Series bound{"bound", {}, {}, true};
    measured.colour = bound.colour = static_cast<int>(claim.plot.series.size() / 2);
    for (const double gradient : {0.01, 0.03, 0.1, 0.19}) {
      const auto tau = theory::random_deformation(kSize, kSize, gradient, 9, 24);
      const theory::GroupElement g{beta, 0, 0};
      const auto moved = net.features(theory::act_on_image(theory::deform(image, tau), g)).back();
      const auto difference = moved - theory::act_on_features(original, g, kStep);
      // The theorem is about an unbounded scale axis: leave out scales whose taps, before or after the shift, touch its
      // end.
      const auto first = static_cast<int64_t>(kLayers - 1 + std::max(0.0, std::round(beta / kStep)));
      const int64_t last = theory::common_scales(grid.count(), beta, kStep);
      const double left = theory::feature_norm(difference.slice(2, first, last)).max().item<double>();
      const theory::BoundTerms terms{beta,
                                     kLayers,
                                     tau.gradient_sup,
                                     tau.sup,
                                     grid.finest_width() / 2,
                                     theory::image_norm(image).min().item<double>()};
      const double right = theory::theorem2_bound(terms);
      claim.table.add({beta, gradient, tau.sup, left, right, left / right});
      claim.holds = claim.holds && left <= right && left > 0;
      measured.add(gradient, left);
      bound.add(gradient, right);
    }
    claim.plot.series.push_back(measured);
    bound.name += measured.name.substr(4);
    claim.plot.series.push_back(bound);
  }
  claim.verdict = "the left side (largest over the images) must not exceed the right side (smallest over the images)";
  return claim;
}

}  // namespace scdcf::verify
