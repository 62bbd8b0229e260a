#include <algorithm>

#include "scdcf/ops/cuda/expanded/matrix_passes.h"
#include "scdcf/ops/cuda/lifting/lifting.h"
#include "scdcf/ops/cuda/machine/device_limits.h"

namespace scdcf::ops::cuda {
namespace {

constexpr int kMostColumns = 32, kMostLines = 64;  // of a tile
constexpr int kSlices = 6;                         // of a multiprocessor: scales take different times

bool fill_modes(const DeviceProblem& p, LiftingPlan& f) {
  const ModesByRow modes = modes_by_row(p);
  f.groups = static_cast<int>(divide_up(p.mode_count, f.group));
  if (modes.count > kMostLiftingFactors || f.groups > kMostForwardGroups) return false;
  f.factors = modes.count;
  for (int b = 0; b < modes.count; ++b) {
    f.row[b] = static_cast<int8_t>(modes.row[b]);
    for (int i = modes.begin[b]; i < modes.begin[b + 1]; ++i) {
      f.k[i] = static_cast<int8_t>(modes.k[i]), f.column[i] = static_cast<int8_t>(modes.column[i]);
      f.factor[i] = static_cast<int8_t>(b);
    }
  }
  for (int g = 0; g < f.groups; ++g) {
    f.first[g] = f.factor[g * f.group], f.last[g] = f.factor[std::min((g + 1) * f.group, p.mode_count) - 1];
    f.parts[g + 1] = static_cast<int8_t>(f.parts[g] + f.last[g] - f.first[g] + 1);
  }
  return true;
}

/// Every matrix gets blocks in proportion to its scales, all together a few for every multiprocessor.
void fill_slices(const DeviceProblem& p, LiftingPlan& f) {
  const int target = std::max(1, kSlices * multiprocessors() / f.wide_tiles);
  const int64_t per_scale = int64_t(p.batch) * f.x_tiles * f.y_tiles;
  int pairs = 0;
  for (int j = 0; j < p.mixings; ++j) {
    f.pair_begin[j] = static_cast<int16_t>(pairs);
    for (int s = 0; s < p.scale_count; ++s)
      if (p.sources[p.scales[s].source_begin].mixing == j) f.pair_scale[pairs++] = static_cast<int16_t>(s);
  }
  f.pair_begin[p.mixings] = static_cast<int16_t>(pairs);
  const int64_t units = std::max<int64_t>(1, divide_up(per_scale * pairs, target));
  for (int j = 0; j < p.mixings; ++j) {
    f.slice_begin[j] = static_cast<int16_t>(f.slices);
    f.slices += static_cast<int>(divide_up(per_scale * (f.pair_begin[j + 1] - f.pair_begin[j]), units));
  }
  f.slice_begin[p.mixings] = static_cast<int16_t>(f.slices);
}

}  // namespace

bool plan_lifting(const DeviceProblem& p, bool gradient, LiftingPlan& f) {
  f = {};
  f.group = gradient ? 16 : 8;
  if (p.in_channels > 4 || !fill_modes(p, f)) return false;
  if (f.groups * p.in_channels > (gradient ? kMostGradientGroups : kMostForwardGroups)) return false;
  for (int s = 0; s < p.scale_count; ++s)
    if (p.scales[s].source_end - p.scales[s].source_begin != 1) return false;
  f.x_tiles = static_cast<int>(divide_up(p.out_width, kMostColumns));
  f.tx = static_cast<int>(divide_up(p.out_width, f.x_tiles));
  f.y_tiles = static_cast<int>(divide_up(p.out_height, kMostLines));
  f.ty = round_up(static_cast<int>(divide_up(p.out_height, f.y_tiles)), 16);
  f.steps = static_cast<int>(divide_up(2 * p.max_radius() + 1, 8));
  f.rows = (f.ty - 1) * p.stride + f.steps * 8, f.width = (round_up(f.tx, 16) - 1) * p.stride + f.steps * 8;
  f.pitch = round_up(f.tx, 16) + 1, f.plane = round_up(f.rows * f.pitch, 16) + 4;
  f.wide = gradient && p.out_channels > 16 ? 32 : 16;
  f.wide_tiles = static_cast<int>(divide_up(p.out_channels, f.wide));
  const int lane_floats = gradient ? 4 : 2;  // of a fragment of the second pass' factors
  f.lines_at = round_up(p.in_channels * f.rows * f.width * 4, 16);
  f.row_at = round_up(f.lines_at + p.in_channels * f.factors * f.plane * 4, 16);
  f.column_at = f.row_at + f.steps * 32 * 2 * 4;
  f.mixing_at = f.column_at + f.parts[f.groups] * f.steps * 32 * lane_floats * 4;
  const int warps = kLiftingThreads / 32;
  f.shared_bytes = f.mixing_at + (gradient ? 0 : p.in_channels * f.groups * f.wide_tiles * 32 * 4 * 4);
  if (gradient)  // the warps' sums lie over everything else
    f.shared_bytes = std::max(f.shared_bytes, static_cast<int>(warps * f.slice_floats(p.in_channels) * 4));
  if (f.shared_bytes > shared_memory_limit()) return false;
  if (gradient) fill_slices(p, f);
  return true;
}

}  // namespace scdcf::ops::cuda
