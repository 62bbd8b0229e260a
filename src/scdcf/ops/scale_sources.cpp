#include "scdcf/ops/scale_sources.h"

#include <algorithm>
#include <map>

#include "scdcf/core/error.h"

namespace scdcf::ops {

const char* name_of(ScaleSupport support) { return support == ScaleSupport::one_sided ? "one-sided" : "centred"; }
const char* name_of(ScalePadding padding) { return padding == ScalePadding::replicate ? "replicate" : "zero"; }

ScaleSources lifting_sources(int64_t scales) {
  return ScaleSources(static_cast<size_t>(scales), std::vector<PlaneTaps>{PlaneTaps{0, {0}}});
}

void check_scale_taps(const char* layer, int64_t taps, ScaleSupport support) {
  require(taps >= 1, layer, ": scale_taps: got ", taps, ", expected at least 1");
  require(support == ScaleSupport::one_sided || taps % 2 == 1, layer, ": scale_taps: got ", taps,
          " centred ones, expected an odd number");
}

ScaleSources joint_sources(int64_t scales, int64_t taps, ScaleSupport support, ScalePadding padding) {
  require(scales >= 1, "joint convolution: scales: got ", scales, ", expected at least 1");
  check_scale_taps("JointConv", taps, support);
  const int64_t before = support == ScaleSupport::one_sided ? taps - 1 : (taps - 1) / 2;
  ScaleSources sources(static_cast<size_t>(scales));
  for (int64_t s = 0; s < scales; ++s) {
    auto& planes = sources[static_cast<size_t>(s)];
    for (int64_t t = 0; t < taps; ++t) {
      int64_t plane = s + t - before;
      if (plane >= scales || (plane < 0 && padding == ScalePadding::zero)) continue;
      plane = std::max<int64_t>(plane, 0);
      if (planes.empty() || planes.back().plane != plane) planes.push_back({plane, {}});
      planes.back().taps.push_back(t);
    }
  }
  return sources;
}

std::vector<double> TapSets::membership(int64_t taps) const {
  std::vector<double> values(static_cast<size_t>(taps) * sets.size(), 0.0);
  for (size_t g = 0; g < sets.size(); ++g)
    for (const int64_t tap : sets[g]) values[static_cast<size_t>(tap) * sets.size() + g] = 1;
  return values;
}

TapSets tap_sets(const ScaleSources& sources) {
  TapSets result;
  std::map<std::vector<int64_t>, int64_t> numbers;
  for (size_t s = 0; s < sources.size(); ++s)
    for (const auto& plane : sources[s]) {
      const auto [place, is_new] = numbers.emplace(plane.taps, static_cast<int64_t>(result.sets.size()));
      if (is_new) result.sets.push_back(plane.taps);
      result.sources.insert(result.sources.end(), {static_cast<int64_t>(s), plane.plane, place->second});
    }
  return result;
}

}  // namespace scdcf::ops
