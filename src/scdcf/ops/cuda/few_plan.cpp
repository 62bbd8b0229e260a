#include <algorithm>

#include "scdcf/ops/cuda/device_limits.h"
#include "scdcf/ops/cuda/few_channels.h"

namespace scdcf::ops::cuda {
namespace {

void fill_slices(const DeviceProblem& p, FewPlan& f) {
  const int target = std::max(1, 4 * multiprocessors() / f.wide_tiles);
  const int64_t per_pair = int64_t(p.batch) * f.tiles();
  int pairs = 0;
  for (int j = 0; j < p.mixings; ++j) {
    f.pair_begin[j] = static_cast<int16_t>(pairs);
    for (int s = 0; s < p.scale_count; ++s)
      if (p.sources[p.scales[s].source_begin].mixing == j) f.pair_scale[pairs++] = static_cast<int16_t>(s);
  }
  f.pair_begin[p.mixings] = static_cast<int16_t>(pairs);
  int64_t units = std::max<int64_t>(1, divide_up(per_pair * pairs, target));
  int count = 0;
  for (int j = 0; j < p.mixings; ++j) {
    f.slice_begin[j] = static_cast<int16_t>(count);
    count += static_cast<int>(divide_up(per_pair * (f.pair_begin[j + 1] - f.pair_begin[j]), units));
  }
  f.slice_begin[p.mixings] = static_cast<int16_t>(count);
  f.slices = count;
}

}  // namespace

bool plan_few_channels(const DeviceProblem& p, bool gradient, FewPlan& f) {
  if (p.in_channels > 4 || p.mode_count * p.in_channels > kFewDepth) return false;
  if (p.row_modes > kMaxFactors || p.column_modes > kMaxFactors) return false;
  for (int s = 0; s < p.scale_count; ++s)
    if (p.scales[s].source_end - p.scales[s].source_begin != 1) return false;
  f = {};
  f.x_tiles = static_cast<int>(divide_up(p.out_width, 8)), f.tx = static_cast<int>(divide_up(p.out_width, f.x_tiles));
  const int radius = p.max_radius(), taps = 2 * radius + 1;
  f.ty = p.out_height;
  if (p.in_height > 64) f.ty = std::min(f.ty, std::max(8, (64 - taps) / p.stride));
  f.y_tiles = static_cast<int>(divide_up(p.out_height, f.ty));
  f.lines = (f.ty - 1) * p.stride + taps, f.patch_width = (f.tx - 1) * p.stride + taps;
  f.depth = round_up(p.mode_count * p.in_channels, 16), f.pitch = f.depth + 4;
  f.row_group = round_up(p.row_modes, 4), f.column_group = round_up(p.column_modes, 4);
  f.wide = gradient ? kFewWide : round_up(p.out_channels, 8);
  f.wide_tiles = static_cast<int>(divide_up(p.out_channels, f.wide));
  for (auto& row : f.index)
    for (auto& k : row) k = -1;
  for (int k = 0; k < p.mode_count; ++k) f.index[p.modes[k].column][p.modes[k].row] = static_cast<int8_t>(k);
  const int pixels = round_up(f.tx * f.ty, 16);
  f.patch = round_up(f.lines * p.in_channels * f.tx * f.row_group * 4, 128);
  f.z = round_up(f.patch + f.lines * f.patch_width * p.in_channels * 4, 128);
  f.row_factors = round_up(f.z + pixels * f.pitch * 4, 128);
  f.column_factors = f.row_factors + taps * f.row_group * 4;
  f.pixels = f.column_factors + taps * f.column_group * 4;
  f.mixing = round_up(f.pixels + pixels * 4, 128);
  f.shared_bytes = f.mixing + (gradient ? kFewThreads / 32 * f.depth * kFewWide * 4 : f.depth * (f.wide + 8) * 4);
  if (f.shared_bytes > shared_memory_limit()) return false;
  if (gradient) fill_slices(p, f);
  return true;
}

}  // namespace scdcf::ops::cuda
