#include <algorithm>

#include "scdcf/core/error.h"
#include "scdcf/ops/cuda/expanded/expand.h"
#include "scdcf/ops/cuda/machine/device_limits.h"

namespace scdcf::ops::cuda {
namespace {

constexpr int kWarps = kExpandThreads / 32, kMostFactors = 4;

struct Sizes {
  const DeviceProblem& p;
  int element, number;  // bytes of a map's number and of a sum
  int taps, limit;
  ModeRuns runs[kMostFactors + 1];  // with so many modes in a run
  int most_runs[kMostFactors + 1];  // that share so many neighbouring row factors
  Sizes(const DeviceProblem& problem, DataType type)
      : p(problem),
        element(element_size(type)),
        number(sum_size(type)),
        taps(2 * problem.max_radius() + 1),
        limit(shared_memory_limit()) {
    for (int most = 1; most <= kMostFactors; ++most) runs[most] = make_mode_runs(p, most);
    const ModeRuns& all = runs[kMostFactors];
    for (int rows = 1; rows <= kMostFactors; ++rows) {
      most_runs[rows] = 1;
      for (int begin = 0, end = 0; begin < all.count; ++begin) {
        while (end < all.count && all.run[end].row < all.run[begin].row + rows) ++end;
        most_runs[rows] = std::max(most_runs[rows], end - begin);
      }
    }
  }
};

/// Clocks of a multiprocessor for one tap of one item of a warp: multiplications, or what they read.
double tap_clocks(int per_thread, int factors) { return std::max(per_thread * factors / 4.0, 2.0) + 1.0; }
/// Clocks for a warp's access to global memory, by the sectors of 32 bytes it touches.
double access_clocks(const ExpandTile& t, int element) {
  const double pieces = std::max(1.0, 32.0 / t.channels);
  return std::max(1.0, pieces * std::max(1.0, std::min(32, t.channels) * element / 32.0) / 2);
}
/// Turns that a block needs for so many items of each channel of a slab.
double turns(const ExpandTile& t, int items) {
  return static_cast<double>(divide_up(items, kExpandThreads / t.channels)) * kWarps;
}
double waiting(const ExpandTile& t, int limit) {  // two blocks (registers allow no more) hide each other's waits
  return 2 * (t.shared_bytes + 1024) <= limit ? 1.0 : 1.8;
}

void lay_out(ExpandTile& t, int first_weights, int second_weights, int first, int second) {
  t.first_weights = 0;
  t.second_weights = round_up(first_weights, 16);
  t.first = round_up(t.second_weights + second_weights, 128);
  t.second = round_up(t.first + first, 128);
  t.shared_bytes = t.second + second;
}

double cost_of_expand(const Sizes& z, ExpandTile& t) {
  const DeviceProblem& p = z.p;
  const int row_groups = static_cast<int>(divide_up(p.row_modes, t.together));
  t.source_lines = std::min(p.in_height, (t.lines - 1) * p.stride + z.taps);
  t.source_columns = std::min(p.in_width, (t.columns - 1) * p.stride + z.taps) | 1;
  lay_out(t, z.taps * kMostFactors * z.number, z.most_runs[t.together] * z.taps * kMostFactors * z.number,
          t.source_lines * t.source_columns * t.channels * z.element,
          t.together * t.source_lines * t.columns * t.channels * z.number);
  const double n = t.per_thread, access = access_clocks(t, z.element);
  const double rows = row_groups * turns(t, t.source_lines * int(divide_up(t.columns, t.per_thread))) *
                      (std::min(z.taps, p.in_width) * tap_clocks(t.per_thread, t.together) + 30 + n * t.together);
  const ModeRuns& runs = z.runs[kMostFactors];
  double columns = 0;
  for (int r = 0; r < runs.count; ++r)
    columns += turns(t, t.columns * int(divide_up(t.lines, t.per_thread))) *
               (std::min(z.taps, p.in_height) * tap_clocks(t.per_thread, runs.run[r].count) + 30 +
                n * runs.run[r].count * access);
  const double read = turns(t, t.source_lines * t.source_columns) * (6 + access) + 700;
  return (rows + columns + read + 300 * row_groups) * double(t.blocks_of_map()) * waiting(t, z.limit);
}

double cost_of_collect(const Sizes& z, ExpandTile& t) {
  const DeviceProblem& p = z.p;
  const int reach_lines = (t.lines + z.taps - 2) / p.stride + 2,
            reach_columns = (t.columns + z.taps - 2) / p.stride + 2;
  t.source_lines = std::min(p.out_height, reach_lines);
  t.source_columns = std::min(p.out_width, reach_columns);
  const int weights = (t.together + 1) * z.taps * z.number;  // of a run; the next run's are loaded meanwhile
  lay_out(t, weights, weights, t.together * t.source_lines * t.source_columns * t.channels * z.element,
          (t.lines * t.source_columns + t.lines * t.columns) * t.channels * z.number);
  const ModeRuns& runs = z.runs[t.together];
  const double taps_y = std::min<double>(z.taps, p.out_height) / p.stride,
               taps_x = std::min<double>(z.taps, p.out_width) / p.stride, tap = tap_clocks(t.per_thread, 1),
               access = access_clocks(t, z.element);
  const double read = p.mode_count * turns(t, t.source_lines * t.source_columns) * (5 + access);
  const int i_items = static_cast<int>(divide_up(t.lines, t.per_thread * p.stride)) * p.stride,
            j_items = static_cast<int>(divide_up(t.columns, t.per_thread * p.stride)) * p.stride;
  const double columns = turns(t, t.source_columns * i_items) *
                         (p.mode_count * (taps_y * tap + 15) + runs.count * (20 + 2 * t.per_thread)),
               rows = p.row_modes * turns(t, t.lines * j_items) * (taps_x * tap + 30 + 2 * t.per_thread);
  return (read + columns + rows + 900.0 * runs.count) * double(t.blocks_of_map()) * waiting(t, z.limit);
}

/// Tries every tile of a map of height x width targets with slabs of at least `narrowest` channels, and keeps the one
/// that costs least; false where none fits.
template <class Cost>
bool find_tile(const Sizes& z, int height, int width, int most_together, int most_per_thread, int narrowest,
               const Cost& cost, ExpandTile& best) {
  ExpandTile t{};
  double least = -1;
  for (const int per_thread : {4, 7, 14})
    for (int slabs = 1; slabs <= z.p.in_channels; slabs = slabs < 4 ? slabs + 1 : slabs * 2) {
      if (per_thread > most_per_thread) continue;
      t.per_thread = per_thread;
      t.channels = static_cast<int>(divide_up(z.p.in_channels, slabs));
      if (t.channels > 64 || t.channels < narrowest) continue;
      t.slabs = static_cast<int>(divide_up(z.p.in_channels, t.channels));
      for (int y_tiles = 1; y_tiles <= height; y_tiles = y_tiles < 8 ? y_tiles + 1 : y_tiles * 2)
        for (int x_tiles = 1; x_tiles <= width; x_tiles = x_tiles < 8 ? x_tiles + 1 : x_tiles * 2) {
          t.lines = static_cast<int>(divide_up(height, y_tiles)),
          t.columns = static_cast<int>(divide_up(width, x_tiles));
          t.line_tiles = static_cast<int>(divide_up(height, t.lines));
          t.column_tiles = static_cast<int>(divide_up(width, t.columns));
          if (int64_t(t.lines) * t.columns * t.channels > z.limit) continue;
          for (t.together = 1; t.together <= most_together; ++t.together) {
            const double c = cost(t);
            if (t.shared_bytes > z.limit || t.shared_bytes < 0 || (least >= 0 && c >= least)) continue;
            best = t, least = c;
          }
        }
    }
  return least >= 0;
}

/// Slabs are whole sectors of memory, 32 bytes, where they can be.
template <class Cost>
ExpandTile best_tile(const Sizes& z, int height, int width, int most_together, int most_per_thread, const char* what,
                     const Cost& cost) {
  ExpandTile best{};
  const bool found = find_tile(z, height, width, most_together, most_per_thread,
                               std::min(32 / z.element, z.p.in_channels), cost, best) ||
                     find_tile(z, height, width, most_together, most_per_thread, 1, cost, best);
  require(found, "separable_joint_conv: got filters of ", z.taps, " pixels, expected fewer on a GPU: no tile of ", what,
          " fits into its shared memory");
  return best;
}

}  // namespace

ExpandTile plan_expand(const DeviceProblem& p, DataType type) {
  const Sizes z(p, type);
  return best_tile(z, p.out_height, p.out_width, std::min(kMostFactors, p.row_modes), 7, "expand",
                   [&](ExpandTile& t) { return cost_of_expand(z, t); });
}

ExpandTile plan_collect(const DeviceProblem& p, DataType type) {
  const Sizes z(p, type);
  return best_tile(z, p.in_height, p.in_width, std::min(kMostFactors, p.mode_count), 14, "collect",
                   [&](ExpandTile& t) { return cost_of_collect(z, t); });
}

}  // namespace scdcf::ops::cuda
