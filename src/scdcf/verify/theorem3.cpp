#include <algorithm>
#include <cmath>

#include "scdcf/theory/bounds.h"
#include "scdcf/theory/equivariance.h"
#include "scdcf/theory/norms.h"
#include "scdcf/verify/small_net.h"
#include "scdcf/verify/test_images.h"
#include "scdcf/verify/verify.h"

namespace scdcf::verify {

Finding theorem3() {
  Finding claim{"theorem3",
                "Theorem 3: the error of a truncated scale axis decays with its length, if it is padded rightly",
                report::Table({"scales", "octaves 2T", "finest filter (px)", "replicate", "zero", "replicate, absolute",
                               "bound"}),
                false,
                "",
                {}};
  constexpr int64_t kSize = 128;
  constexpr double kStep = 0.5, kCoarsest = 32;
  constexpr int kLayers = 2;
  const auto image = soft_strokes(2, kSize, 13, 2.0);
  const theory::GroupElement g{kStep, 0, 0};
  const auto enlarged = theory::act_on_image(image, g);
  std::vector<double> octaves, replicate, zero;
  bool below = true;
  for (const int scales : {2, 3, 4, 5, 6, 7}) {
    const auto grid = basis::ScaleGrid::ending_at(scales, kStep, kCoarsest);
    // Worst relative error over the scales; the fine end is where truncation is felt.
    const auto relative_error = [&](nn::ScalePadding padding, double* absolute) {
      SmallNet net(grid, kLayers, 2, padding, 21);
      net.align();
      if (absolute != nullptr) net.saturate_stability();
      const auto got = net.features(enlarged).back(), original = net.features(image).back();
      if (absolute != nullptr)
        *absolute = theory::feature_norm(got - theory::act_on_features(original, g, kStep)).max().item<double>();
      const auto errors = theory::equivariance_error(got, original, g, kStep);
      return *std::max_element(errors.begin(), errors.end());
    };
    double absolute = 0;
    octaves.push_back(grid.octaves());
    replicate.push_back(relative_error(nn::ScalePadding::replicate, &absolute));
    zero.push_back(relative_error(nn::ScalePadding::zero, nullptr));
    const theory::BoundTerms terms{
        kStep, kLayers, 0, 0, grid.finest_width() / 2, theory::image_norm(image).min().item<double>()};
    const double bound = theory::theorem3_bound(terms, theory::gradient_norm(image).min().item<double>());
    below = below && absolute <= bound;
    claim.table.add({static_cast<double>(scales), octaves.back(), grid.finest_width(), replicate.back(), zero.back(),
                     absolute, bound});
  }
  // O(2^-T): 2T grows by (scales-1)*step octaves, so at least 2^(-T) means a factor 2^(-octaves/2) over the whole
  // range.
  const double expected = std::exp2(-(octaves.back() - octaves.front()) / 2);
  claim.holds = below && replicate.back() <= replicate.front() * expected && zero.back() > zero.front() / 2 &&
                zero.back() > 4 * replicate.back();
  claim.verdict = "replicate: must fall at least as 2^-T and stay below the bound; zero: must not fall to half";
  claim.plot = {"Theorem 3: error of the truncated scale axis",
                "length of the scale axis, 2T (octaves)",
                "relative error",
                false,
                true,
                {{"replicate padding", octaves, replicate}, {"zero padding", octaves, zero}}};
  return claim;
}

}  // namespace scdcf::verify
