#include "scdcf/ops/cuda/line_bank.h"

#include <algorithm>

namespace scdcf::ops::cuda {

LineBank make_bank(const DeviceProblem& p, bool row, bool transposed) {
  LineBank b{};
  b.axis = row ? p.x_axis() : p.y_axis();
  b.transposed = transposed;
  b.modes = row ? p.row_modes : p.column_modes;
  return b;
}

int LineBank::set_tile(int targets, int max_radius) {
  tile = targets, tiles = static_cast<int>(divide_up(size(), tile));
  int widest = 1;
  for (int t = 0; t < tiles; ++t) widest = std::max(widest, reach(max_radius, t).count);
  return widest;
}

}  // namespace scdcf::ops::cuda
