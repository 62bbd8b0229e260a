// Which input scales each output scale reads, and through which taps of the joint filter.
#pragma once

#include <cstdint>
#include <vector>

namespace scdcf::ops {

enum class ScaleSupport {
  one_sided,  // taps alpha' = -(L_alpha-1) .. 0: an output scale looks at itself and at finer ones (default)
  centred,    // taps centred on the output scale
};

enum class ScalePadding {
  replicate,  // the finest scale is extended beyond the fine end, eqs. (1st-layer-truncated), (lth-layer-truncated)
  zero,       // zero beyond both ends
};

const char* name_of(ScaleSupport support);
const char* name_of(ScalePadding padding);

/// An input plane and the taps that fall on it: with replicate padding several taps share the finest plane.
struct PlaneTaps {
  int64_t plane;
  std::vector<int64_t> taps;
};

/// One list of planes per output scale.
using ScaleSources = std::vector<std::vector<PlaneTaps>>;

/// Lifting (eq. 1st-layer): every scale reads the one plane there is, through one tap.
ScaleSources lifting_sources(int64_t scales);

/// Joint convolution (eq. lth-layer): tap t of output scale s reads input scale s + t - (taps-1), or s + t - (taps-1)/2
/// when centred. Taps beyond the fine end are clamped or dropped as the padding says, beyond the coarse end always
/// dropped. There may be more taps than scales: the equation holds for any L_alpha, and those that always lie beyond
/// the fine end read the finest scale or, with zero padding, nothing.
ScaleSources joint_sources(int64_t scales, int64_t taps, ScaleSupport support, ScalePadding padding);

/// Refuses counts of taps that have no centre where the support is to be centred.
void check_scale_taps(const char* layer, int64_t taps, ScaleSupport support);

/// The distinct sets of taps that fall on one plane, and who reads which plane through which set.
struct TapSets {
  std::vector<std::vector<int64_t>> sets;
  std::vector<int64_t> sources;  // output scale, plane, set of each source, by scale: [3 J]

  /// [taps, sets]: 1 where a tap is in a set. phi [M, taps] times this is phi summed over each set.
  std::vector<double> membership(int64_t taps) const;
};
TapSets tap_sets(const ScaleSources& sources);

}  // namespace scdcf::ops
