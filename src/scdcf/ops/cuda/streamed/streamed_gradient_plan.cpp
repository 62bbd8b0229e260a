#include <algorithm>

#include "scdcf/ops/cuda/machine/device_limits.h"
#include "scdcf/ops/cuda/streamed/streamed.h"
#include "scdcf/ops/cuda/streamed/streamed_gradient.h"

namespace scdcf::ops::cuda {
namespace {

/// The output channels of a block: 32, 48 or 64, so that as few as possible are padding.
void choose_rows(StreamedGradientPlan& g) {
  const int channels = g.mixing.out_channels;
  for (int wide : {32, 48, 64})
    if (g.wide == 0 || round_up(channels, wide) <= round_up(channels, g.wide)) g.wide = wide;
  g.consumers = g.wide == 48 ? 3 : 2, g.row_tiles = g.wide == 64 ? 2 : 1;
}

}  // namespace

bool plan_streamed_gradient(const DeviceProblem& p, DataType type, Precision precision, StreamedGradientPlan& g) {
  if (type == DataType::float64 || (type == DataType::float32 && precision == Precision::fp32)) return false;
  if (!has_wgmma()) return false;
  if (p.row_modes > kMaxFactors || p.column_modes > kMaxFactors) return false;
  if (p.in_channels % 4 || p.out_channels % 4) return false;  // read in pairs, from pixels at round addresses
  const int64_t line = std::max(int64_t(p.in_width) * p.in_channels, int64_t(p.out_width) * p.out_channels);
  if (24 * line >= int64_t(1) << 31) return false;  // offsets within the lines of a tile are 32-bit numbers
  g = {};
  g.border_bits = border_bits(p);
  MixingPlan& m = g.mixing;
  m = plan_pairs(p);
  const int radius = p.max_radius();
  if (!cut_gradient(m.rows, radius) || !cut_gradient(m.columns, radius)) return false;
  g.depth = std::max(m.rows.depth, m.columns.depth);
  g.halves = g.depth > 1 || m.columns.tile > 8 ? 2 : 1;
  if (g.halves == 2) g.depth = std::max(g.depth, 2);
  m.rows.depth = m.columns.depth = g.depth, m.rows.own_tiles = m.columns.own_tiles = 1;
  choose_rows(g);
  m.out_tiles = static_cast<int>(divide_up(p.out_channels, g.wide));
  bool fits = false;
  visit_tile(g, [&](auto tile) {
    g.sums = decltype(tile)::sums;
    fits = decltype(tile)::shared_bytes <= shared_memory_limit();
  });
  if (fits) m.fill_slices(m.tiles(), m.units_per_pair(), multiprocessors());
  return fits;
}

}  // namespace scdcf::ops::cuda
