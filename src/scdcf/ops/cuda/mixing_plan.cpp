#include <algorithm>

#include "scdcf/ops/cuda/device_limits.h"
#include "scdcf/ops/cuda/mixing_gradient.h"

namespace scdcf::ops::cuda {
namespace {

void fill_pairs(const DeviceProblem& p, MixingPlan& m) {
  int count = 0;
  for (int j = 0; j < p.mixings; ++j) {
    m.pair_begin[j] = static_cast<int16_t>(count);
    for (int s = 0; s < p.scale_count; ++s)
      for (int e = p.scales[s].source_begin; e < p.scales[s].source_end; ++e)
        if (p.sources[e].mixing == j)
          m.pairs[count++] = {static_cast<int16_t>(p.sources[e].plane), static_cast<int16_t>(s)};
  }
  m.pair_begin[p.mixings] = static_cast<int16_t>(count);
}

}  // namespace

bool cut_gradient(LineBank& bank, int radius) {
  for (int tiles = static_cast<int>(divide_up(bank.size(), 16)); tiles <= bank.size(); ++tiles)
    if (bank.set_tile(static_cast<int>(divide_up(bank.size(), tiles)), radius) <= 24) return true;
  return false;
}

void fill_slices(const DeviceProblem& p, MixingPlan& m, int blocks) {
  const int target = std::max(1, blocks / m.tiles());
  const int64_t per_pair = m.units_per_pair();
  int64_t units = std::max<int64_t>(1, divide_up(per_pair * m.pair_begin[p.mixings], target));
  for (;; units += std::max<int64_t>(1, units / 64)) {
    int count = 0, used = 0;
    for (int j = 0; j < p.mixings; ++j) {
      const int64_t mine = per_pair * (m.pair_begin[j + 1] - m.pair_begin[j]);
      m.slice_begin[j] = static_cast<int16_t>(count);
      count += static_cast<int>(divide_up(mine, units));
      used += mine > 0;
    }
    m.slice_begin[p.mixings] = static_cast<int16_t>(count);
    m.slices = count;
    if (count <= std::max(target, used)) return;
  }
}

MixingPlan plan_pairs(const DeviceProblem& p) {
  MixingPlan m{};
  m.batch = p.batch, m.planes = p.planes, m.scales = p.scale_count, m.mixings = p.mixings;
  m.in_channels = p.in_channels, m.out_channels = p.out_channels, m.in_width = p.in_width, m.out_width = p.out_width;
  m.in_pixels = p.in_height * p.in_width, m.out_pixels = p.out_height * p.out_width;
  m.rows = make_bank(p, true, false, false, kGradientModes);
  m.columns = make_bank(p, false, true, false, kGradientModes);
  m.in_tiles = static_cast<int>(divide_up(p.in_channels, kChunk)),
  m.out_tiles = static_cast<int>(divide_up(p.out_channels, kChunk));
  for (int s = 0; s < p.scale_count; ++s) m.radius[s] = static_cast<int16_t>(p.scales[s].radius);
  fill_pairs(p, m);
  return m;
}

}  // namespace scdcf::ops::cuda
