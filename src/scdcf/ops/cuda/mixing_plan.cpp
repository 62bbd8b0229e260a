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

void lay_out(MixingPlan& m, int element) {
  const int pitch = kChunk * element + (element == 4 ? 32 : 16);
  m.pixels = round_up(m.images * m.rows.tile * m.columns.tile, 32 / element);
  m.out_operand = kGradientModes * m.pixels * pitch;
  m.row_table = 2 * m.out_operand;
  m.column_table = m.row_table + m.rows.row_tiles() * 16 * 4;
  m.shared_bytes = m.column_table + m.columns.row_tiles() * 16 * 4;
}

/// Clocks of a multiprocessor for one pair, for one channel tile.
double cost(const MixingPlan& m, int element) {
  const double product = m.pixels * element / 32.0 * 128 * 1.7;
  const double rows = double(m.images) * m.columns.tile * m.rows.row_tiles() * (m.rows.depth * 14.0 + 12);
  const double columns = double(m.images) * m.rows.tile * m.columns.row_tiles() * (m.columns.depth * 14.0 + 12);
  return (product + rows + columns + 300) * m.units_per_pair();
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

bool plan_mixing_gradient(const DeviceProblem& p, int element, MixingPlan& best) {
  if (p.row_modes > kMaxFactors || p.column_modes > kMaxFactors) return false;
  MixingPlan m = plan_pairs(p);
  const int radius = p.max_radius(), limit = shared_memory_limit() / 2 - 1024;  // two blocks per multiprocessor
  double best_cost = -1;
  for (int x_tiles = 1; x_tiles <= p.out_width && x_tiles <= 512; x_tiles = x_tiles < 16 ? x_tiles + 1 : x_tiles * 2) {
    m.rows.set_tile(static_cast<int>(divide_up(p.out_width, x_tiles)), radius);
    for (int v_tiles = 1; v_tiles <= p.in_height && v_tiles <= 512;
         v_tiles = v_tiles < 16 ? v_tiles + 1 : v_tiles * 2) {
      m.columns.set_tile(static_cast<int>(divide_up(p.in_height, v_tiles)), radius);
      const int most = m.rows.tiles * m.columns.tiles == 1 ? std::max(1, p.batch) : 1;
      for (m.images = 1; m.images <= most; ++m.images) {
        m.groups = static_cast<int>(divide_up(p.batch, m.images));
        lay_out(m, element);
        if (m.shared_bytes > limit) break;
        const double c = cost(m, element);
        if (best_cost < 0 || c < best_cost) best = m, best_cost = c;
      }
    }
  }
  if (best_cost < 0) return false;
  fill_slices(p, best, 2 * multiprocessors());
  return true;
}

}  // namespace scdcf::ops::cuda
