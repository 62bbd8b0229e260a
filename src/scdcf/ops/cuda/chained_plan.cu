#include "scdcf/ops/cuda/chained_plan.h"

#include <algorithm>

#include "scdcf/ops/cuda/primitives.cuh"

namespace scdcf::ops::cuda {
namespace {

void lay_out(ChainedPlan& c, const ChainedShape& shape) {
  FusedPlan& f = c.walk;
  c.pitch = f.first.tile | 1;
  c.matrix_words = f.first.modes * shape.column_tiles * 64;
  c.line_words = f.warps_m * shape.row_tiles * shape.stack * shape.depth * 64;
  c.line_ring = kMatrixRing * c.matrix_words * 4;
  c.result = round_up(c.line_ring + kLineRing * c.line_words * 4, 128);
  // The second pass reads whole steps of eight lines; what it reads beyond the last line has weight zero.
  f.result_rows = f.images * f.lines * c.pitch + (f.second.depth * 8 - f.lines) * c.pitch;
  c.sums = round_up(c.result + f.second.modes * f.result_rows * f.wide * 4, 128);
  const bool flat = f.second.row_tiles() == 1 && f.wide % 32 == 0;
  c.second_columns = flat ? 4 : 2, c.second_tiles = flat ? 1 : 2;
  c.columns = f.wide / 8 / c.second_columns;
  c.units = f.images * f.first.tile * c.columns * static_cast<int>(divide_up(f.second.row_tiles(), c.second_tiles));
  const int turns = static_cast<int>(divide_up(c.units, f.warps_m));
  f.shared_bytes = c.sums + (f.flush_each ? turns * 8 * f.warps_m * 32 * 8 : 0);
}

/// Tensor instructions of a multiprocessor, with the second pass, the start and the end of a block as such, too.
double cost(const ChainedPlan& c, const ChainedShape& s, int element, int multiprocessors) {
  const FusedPlan& f = c.walk;
  const double chain = s.row_tiles * (s.column_tiles + s.stack * s.depth * 4.0 / element);
  const double stages = double(f.stage_begin[f.target_planes]) / f.target_planes;
  const double second = double(c.units) * f.second.steps() * 8, flushes = f.flush_each ? stages : 1;
  const double block = stages * f.chunks * f.first.modes * chain * f.warps_m + flushes * (second + 300) + 600;
  return block * std::max(1.0, double(f.blocks()) / multiprocessors);
}

bool fits(const DeviceProblem& p, int element, const ChainedShape& shape, ChainedPlan& c) {
  FusedPlan& f = c.walk;
  const int radius = p.max_radius(), p_size = f.first.size();
  f.lines = f.second.set_tile(f.second.size(), radius);
  const int room = kChainedWarps * shape.row_tiles * shape.stack / f.lines;
  if (room == 0) return false;
  int tiles = static_cast<int>(divide_up(p_size, 16 / shape.stack));
  while (f.first.set_tile(static_cast<int>(divide_up(p_size, tiles)), radius) > shape.depth * 8)
    if (++tiles > p_size) return false;
  f.first.stack = shape.stack, f.first.depth = shape.depth;
  f.images = f.first.tiles == 1 ? std::max(1, std::min(room, f.batch)) : 1;
  f.groups = static_cast<int>(divide_up(f.batch, f.images));
  f.warps_m = static_cast<int>(divide_up(f.images * f.lines, shape.row_tiles * shape.stack)), f.warps_n = 1;
  const int most = shape.column_tiles * 8 / f.second.modes / 16 * 16;
  if (most == 0) return false;
  f.wide = std::min(most, round_up(f.target_channels, 16));
  f.wides = static_cast<int>(divide_up(f.target_channels, f.wide));
  f.chunks = static_cast<int>(divide_up(f.source_channels, 32 / element));
  c.column_tiles = shape.column_tiles;
  lay_out(c, shape);
  const int limit = shared_memory_limit(), resident = std::min(kChainedWarps / f.warps_m, limit / f.shared_bytes);
  if (resident == 0 || f.blocks() > 0x3fffffff) return false;
  c.work = static_cast<int>(f.blocks()), c.blocks = std::min(c.work, multiprocessors() * resident);
  return true;
}

}  // namespace

bool plan_chained(const DeviceProblem& p, bool forward, int element, ChainedPlan& best) {
  if (p.row_modes > kMaxFactors || p.column_modes > kMaxFactors) return false;
  ChainedPlan c{};
  c.walk = plan_direction(p, forward);
  const FusedPlan& f = c.walk;
  if (element == 2 && f.source_channels % 2) return false;  // lines are copied in words of four bytes
  const int64_t image_step = int64_t(f.source_planes) * f.source_pixels * f.source_channels;
  if (image_step * kChainedWarps * 8 > 0x7fffffff) return false;  // offsets inside a block have 32 bits
  double best_cost = -1;
  for (c.shape = 0; c.shape < 3; ++c.shape) {
    c.walk.first.stack = 0;
    if (!fits(p, element, kChainedShapes[c.shape], c)) continue;
    const double x = cost(c, kChainedShapes[c.shape], element, multiprocessors());
    if (best_cost < 0 || x < best_cost) best = c, best_cost = x;
  }
  return best_cost >= 0;
}

}  // namespace scdcf::ops::cuda
