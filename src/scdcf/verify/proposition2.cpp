#include <algorithm>

#include "scdcf/theory/norms.h"
#include "scdcf/verify/small_net.h"
#include "scdcf/verify/test_images.h"
#include "scdcf/verify/verify.h"

namespace scdcf::verify {

Finding proposition2() {
  Finding claim{"proposition2",
                "Proposition 2: layers with A_l <= 1 are non-expansive",
                report::Table({"coefficients", "pairs of inputs", "||x1-x2||", "layer 1 ratio", "layer 2 ratio"}),
                false,
                "",
                {}};
  constexpr int64_t kSize = 40, kPairs = 32;
  torch::manual_seed(3);
  const auto noise = torch::randn({kPairs, 1, kSize, kSize});
  const auto strokes = soft_strokes(kPairs, kSize, 5), others = soft_strokes(kPairs, kSize, 6);
  const auto flat = torch::linspace(0.5, 3, kPairs).view({-1, 1, 1, 1}).expand({-1, 1, kSize, kSize});
  struct Kind {
    const char* name;
    torch::Tensor first, second;
  };
  double worst = 0;
  std::vector<double> position, ratio1, ratio2;
  for (const bool aligned : {false, true}) {
    SmallNet net(basis::ScaleGrid(4, 0.25, 5.0), 2, 3, nn::ScalePadding::replicate, 2);
    if (aligned) net.align();
    net.saturate_stability();
    for (const Kind& kind : {Kind{"noise, noise", noise, noise.flip(0)}, Kind{"strokes, strokes", strokes, others},
                             Kind{"strokes, the same + noise", strokes, strokes + 0.1 * noise},
                             Kind{"strokes, the same + constant", strokes, strokes + flat}}) {
      const auto one = net.features(kind.first), two = net.features(kind.second);
      const auto distance0 = theory::image_norm(kind.first - kind.second);
      const auto distance1 = theory::feature_norm(one[0] - two[0]), distance2 = theory::feature_norm(one[1] - two[1]);
      const double first = (distance1 / distance0).max().item<double>();
      const double second = (distance2 / distance1).max().item<double>();
      claim.table.add({aligned ? "aligned" : "random", kind.name, distance0.mean().item<double>(), first, second});
      position.push_back(static_cast<double>(position.size() + 1));
      ratio1.push_back(first);
      ratio2.push_back(second);
      worst = std::max({worst, first, second});
    }
  }
  claim.holds = worst <= 1 && worst > 0;
  claim.verdict = "every ratio of distances after and before a layer must be at most 1";
  claim.plot = {"Proposition 2: largest ratio of distances, A_l = 1",
                "kind of pair (row of the table)",
                "distance after / before the layer",
                false,
                true,
                {{"layer 1", position, ratio1},
                 {"layer 2", position, ratio2},
                 {"bound", position, std::vector<double>(position.size(), 1.0), true}}};
  claim.plot.points_only = true;
  return claim;
}

}  // namespace scdcf::verify
