#include "scdcf/ops/cuda/problem/line_bank.h"

#include <algorithm>

namespace scdcf::ops::cuda {

LineBank make_bank(const DeviceProblem& p, bool row, bool transposed, int group) {
  LineBank b{};
  b.axis = row ? p.x_axis() : p.y_axis();
  b.transposed = transposed;
  b.modes = row ? p.row_modes : p.column_modes;
  b.groups = static_cast<int>(divide_up(b.modes, group));
  b.group = static_cast<int>(divide_up(b.modes, b.groups));
  return b;
}

int LineBank::set_tile(int targets, int max_radius) {
  tile = targets, tiles = static_cast<int>(divide_up(size(), tile));
  int widest = 1;
  for (int t = 0; t < tiles; ++t) widest = std::max(widest, reach(max_radius, t).count);
  depth = static_cast<int>(divide_up(widest, 8));
  return widest;
}

FactorPlaces factor_places(const DeviceProblem& p, bool row) {
  FactorPlaces places{};
  for (int s = 0; s < p.scale_count; ++s) {
    places.radius[s] = p.scales[s].radius;
    places.offset[s] = row ? p.scales[s].row_offset : p.scales[s].column_offset;
  }
  return places;
}

}  // namespace scdcf::ops::cuda
