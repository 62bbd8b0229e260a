#include "scdcf/ops/cuda/problem/device_problem.h"

#include <algorithm>

#include "scdcf/core/error.h"

namespace scdcf::ops::cuda {
namespace {

constexpr const char* kOp = "separable_joint_conv";

int narrow(int64_t x) {
  require(x >= 0 && x < (int64_t{1} << 30), kOp, ": got a size of ", x, ", expected 0 to 2^30 - 1 on a GPU");
  return static_cast<int>(x);
}

void check_count(const char* argument, size_t got, size_t most, const char* what) {
  require(got <= most, kOp, ": ", argument, ": got ", got, " ", what, ", expected at most ", most, " on a GPU");
}

}  // namespace

int DeviceProblem::max_radius() const {
  int r = 0;
  for (int s = 0; s < scale_count; ++s) r = std::max(r, scales[s].radius);
  return r;
}

DeviceProblem make_device_problem(const SeparableProblem& p) {
  check_count("radii", p.scales.size(), kMaxScales, "scales");
  check_count("sources", p.sources.size(), kMaxSources, "sources");
  check_count("modes", p.modes.size(), kMaxModes, "modes");
  check_count("input", static_cast<size_t>(p.planes), kMaxPlanes, "planes");
  check_count("mixing", static_cast<size_t>(p.mixings), kMaxMixings, "mixing matrices");
  DeviceProblem d{};
  d.batch = narrow(p.batch), d.planes = narrow(p.planes);
  d.in_channels = narrow(p.in_channels), d.out_channels = narrow(p.out_channels);
  d.in_height = narrow(p.in_height), d.in_width = narrow(p.in_width);
  d.out_height = narrow(p.out_height), d.out_width = narrow(p.out_width);
  d.stride = narrow(p.stride), d.origin = narrow(p.origin);
  d.replicate = p.padding == PadMode::replicate;
  d.column_modes = narrow(p.column_modes), d.row_modes = narrow(p.row_modes), d.mixings = narrow(p.mixings);
  d.scale_count = static_cast<int>(p.scales.size());
  d.source_count = static_cast<int>(p.sources.size());
  d.mode_count = static_cast<int>(p.modes.size());
  std::copy(p.scales.begin(), p.scales.end(), d.scales);
  std::copy(p.sources.begin(), p.sources.end(), d.sources);
  std::copy(p.modes.begin(), p.modes.end(), d.modes);
  return d;
}

}  // namespace scdcf::ops::cuda
