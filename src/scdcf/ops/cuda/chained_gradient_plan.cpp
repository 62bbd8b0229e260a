#include <algorithm>

#include "scdcf/ops/cuda/chained_gradient.h"
#include "scdcf/ops/cuda/device_limits.h"

namespace scdcf::ops::cuda {
namespace {

void lay_out(ChainedGradientPlan& c, int element) {
  const MixingPlan& m = c.mixing;
  const int position = element == 4 ? stage_pitch<float> : stage_pitch<uint16_t>,
            pair = element == 4 ? pair_pitch<float> : pair_pitch<uint16_t>;
  const int lines = m.images * m.columns.tile;
  c.grad_stage = (c.split ? 2 : 1) * lines * c.depth * 8 * position;
  c.operand = c.grad_stage + m.images * m.rows.tile * c.depth * 8 * position;
  c.shared_bytes = c.operand + m.columns.group * lines * c.x_pairs * pair;
}

}  // namespace

bool plan_chained_gradient(const DeviceProblem& p, int element, ChainedGradientPlan& c) {
  if (p.row_modes > kMaxFactors || p.column_modes > kMaxFactors) return false;
  if (p.in_channels * element % 16 || p.out_channels * element % 16) return false;  // copied in pieces of 16 bytes
  c = {};
  MixingPlan& m = c.mixing;
  m = plan_pairs(p);
  const int radius = p.max_radius(), limit = shared_memory_limit(), in_tiles = m.in_tiles;
  if (!cut_gradient(m.rows, radius) || !cut_gradient(m.columns, radius)) return false;
  c.depth = std::max(m.rows.depth, m.columns.depth);
  c.halves = c.depth > 1 || m.rows.tile > 8 ? 2 : 1;
  if (c.halves == 2) c.depth = std::max(c.depth, 2);
  m.rows.depth = m.columns.depth = c.depth, m.rows.own_tiles = m.columns.own_tiles = 1;
  c.x_pairs = (m.rows.tile + 1) / 2;
  const int most = m.rows.tiles * m.columns.tiles == 1 ? std::max(1, std::min(p.batch, 64)) : 1;
  for (c.split = in_tiles % 2 == 0; c.split >= 0; --c.split) {
    m.in_tiles = c.split ? in_tiles / 2 : in_tiles;
    for (m.images = most; m.images > 0; --m.images) {
      // Enough lines for one unit to be worth its barriers, and no more: what is left over at the end is waste.
      if (m.images > 1 && m.images * m.columns.tile > 28) continue;
      lay_out(c, element);
      if (c.shared_bytes > limit) continue;
      m.groups = static_cast<int>(divide_up(p.batch, m.images));
      fill_slices(p, m, multiprocessors());
      return true;
    }
  }
  return false;
}

}  // namespace scdcf::ops::cuda
