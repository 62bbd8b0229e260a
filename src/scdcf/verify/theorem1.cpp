#include <algorithm>

#include "scdcf/theory/equivariance.h"
#include "scdcf/verify/small_net.h"
#include "scdcf/verify/test_images.h"
#include "scdcf/verify/verify.h"

namespace scdcf::verify {

Finding theorem1() {
  Finding claim{"theorem1",
                "Theorem 1: joint convolutions commute with scaling; what is left is discretisation, and falls with it",
                report::Table({"pixels", "finest filter (px)", "layer 1", "layer 2"}),
                false,
                "",
                {}};
  constexpr double kStep = 0.25;
  std::vector<double> sizes, layer1, layer2;
  for (const int refinement : {1, 2, 4}) {
    const int64_t size = 48 * refinement;
    SmallNet net(basis::ScaleGrid(4, kStep, 3.0 * refinement), 2, 2, nn::ScalePadding::replicate, 1);
    const auto image = soft_strokes(2, size, 11);
    const theory::GroupElement g{kStep, 0, 0};
    const auto original = net.features(image), transformed = net.features(theory::act_on_image(image, g));
    // Scales 0 and 1 of layer 2 meet the truncated end of the scale axis, which is Theorem 3's subject.
    const auto worst = [&](size_t layer) {
      const auto errors = theory::equivariance_error(transformed[layer], original[layer], g, kStep);
      return *std::max_element(errors.begin() + 2, errors.end());
    };
    sizes.push_back(static_cast<double>(size));
    layer1.push_back(worst(0));
    layer2.push_back(worst(1));
    claim.table.add({sizes.back(), 3.0 * refinement, layer1.back(), layer2.back()});
  }
  claim.holds =
      layer1[1] < layer1[0] / 2 && layer1[2] < layer1[1] / 2 && layer2[1] < layer2[0] / 2 && layer2[2] < layer2[1] / 2;
  claim.verdict = "the relative error must at least halve with every doubling of the resolution, in both layers";
  claim.plot = {
      "Theorem 1: equivariance error under refinement",        "pixels across the image", "relative error", true, true,
      {{"layer 1", sizes, layer1}, {"layer 2", sizes, layer2}}};
  return claim;
}

}  // namespace scdcf::verify
