#include "scdcf/ops/cuda/device_problem.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace scdcf::ops::cuda {
namespace {

void require(bool ok, const char* what) {
  if (!ok) throw std::runtime_error(std::string("scdcf cuda: ") + what);
}

int narrow(int64_t x) {
  require(x >= 0 && x < (int64_t{1} << 30), "a size is negative or 2^30 or more");
  return static_cast<int>(x);
}

}  // namespace

int DeviceProblem::max_radius() const {
  int r = 0;
  for (int s = 0; s < scale_count; ++s) r = std::max(r, scales[s].radius);
  return r;
}

DeviceProblem make_device_problem(const SeparableProblem& p) {
  require(p.scales.size() <= kMaxScales, "more than 32 scales");
  require(p.sources.size() <= kMaxSources, "more than 160 sources");
  require(p.modes.size() <= kMaxModes, "more than 64 modes");
  require(p.planes <= kMaxPlanes, "more than 64 input planes");
  require(p.mixings <= kMaxMixings, "more than 160 mixing matrices");
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
  require(d.stride >= 1, "stride below 1");
  for (const auto& s : p.scales)
    require(s.radius >= 0 && s.source_begin >= 0 && s.source_begin <= s.source_end && s.source_end <= d.source_count,
            "a scale's sources are out of range");
  for (const auto& s : p.sources)
    require(s.plane >= 0 && s.plane < d.planes && s.mixing >= 0 && s.mixing < d.mixings, "a source is out of range");
  for (const auto& m : p.modes)
    require(m.column >= 0 && m.column < d.column_modes && m.row >= 0 && m.row < d.row_modes, "a mode is out of range");
  std::copy(p.scales.begin(), p.scales.end(), d.scales);
  std::copy(p.sources.begin(), p.sources.end(), d.sources);
  std::copy(p.modes.begin(), p.modes.end(), d.modes);
  return d;
}

}  // namespace scdcf::ops::cuda
