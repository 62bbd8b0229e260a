#include "scdcf/ops/cuda/streamed/mixing_gradient.h"

namespace scdcf::ops::cuda {

bool cut_gradient(LineBank& bank, int radius) {
  for (int tiles = static_cast<int>(divide_up(bank.size(), 16)); tiles <= bank.size(); ++tiles)
    if (bank.set_tile(static_cast<int>(divide_up(bank.size(), tiles)), radius) <= 24) return true;
  return false;
}

MixingPlan plan_pairs(const DeviceProblem& p) {
  MixingPlan m{};
  m.batch = p.batch, m.planes = p.planes, m.scales = p.scale_count;
  m.in_channels = p.in_channels, m.out_channels = p.out_channels, m.in_width = p.in_width, m.out_width = p.out_width;
  m.in_pixels = p.in_height * p.in_width, m.out_pixels = p.out_height * p.out_width;
  m.rows = make_bank(p, true, false, kGradientModes);
  m.columns = make_bank(p, false, true, kGradientModes);
  m.in_tiles = static_cast<int>(divide_up(p.in_channels, kChunk));
  for (int s = 0; s < p.scale_count; ++s) m.radius[s] = static_cast<int16_t>(p.scales[s].radius);
  m.fill_pairs(p);
  return m;
}

}  // namespace scdcf::ops::cuda
