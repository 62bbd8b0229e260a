// Tiles of matrix_passes.h: every tile that fits is tried, and the one kept that a count of clocks says is fastest. The
// constants are fitted to the times of 3,200 tiles of twelve layers on an H200.
#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/ops/cuda/expanded/matrix_passes.h"
#include "scdcf/ops/cuda/machine/device_limits.h"

namespace scdcf::ops::cuda {
namespace {

constexpr int kWarps = kMatrixThreads / 32, kUnitColumns = 32, kMostTogether = 3;
/// Clocks of a multiprocessor: a step of a row tile, what else a row tile and a unit of columns cost, a step of
/// collect's reading; bytes of device memory a clock; a barrier with what it makes wait, a first load. How much longer
/// work takes with one block at a time, and with little cache.
struct Clocks {
  double step, tile, unit, read, bytes, turn, first, alone, little_cache;
};
constexpr Clocks kExpand{32.4, 39.8, 8, 0, 7, 80, 7400, 1.42, 0.88},
    kCollect{18.6, 106, 12.3, 33, 90, 290, 0, 1.89, 1.65};
constexpr int kMuchShared = 196 * 1024;  // of a multiprocessor's shared memory

struct Sizes {
  const DeviceProblem& p;
  DataType type;
  int element, vector, radius, limit, rows;  // rows: row factors that have modes
  Sizes(const DeviceProblem& problem, DataType t)
      : p(problem),
        type(t),
        element(element_size(t)),
        vector(16 / element),
        radius(problem.max_radius()),
        limit(shared_memory_limit()),
        rows(modes_by_row(problem).count) {}
};

int pitch_of(int columns) { return round_up(columns, kUnitColumns) + 8; }
int units_of(int columns) { return static_cast<int>(divide_up(columns, kUnitColumns)); }
/// Items of work, with those that idle warps could have done.
double filled(double items) { return std::ceil(items / kWarps) * kWarps; }
/// The same, where several warps can share an item.
double shared_out(double items) { return items >= kWarps ? filled(items) : items; }

template <class Count>
int most(const MatrixBank& bank, const Count& count) {
  int found = 0;
  for (int i = 0; i < bank.tiles; ++i) found = std::max(found, count(i));
  return found;
}
int most_sources(const MatrixBank& b, int radius) {
  return most(b, [&](int i) { return b.sources_of(radius, i).count; });
}
int most_targets(const MatrixBank& b, int radius) {
  return most(b, [&](int i) { return b.targets_of(radius, i).count; });
}
/// Steps of a row tile inside the band.
double band_steps(const MatrixBank& b, int radius) {
  return std::min<double>(b.steps, (15.0 * b.axis.stride + 2 * radius + 1) / b.step + 1);
}
/// Two blocks, where shared memory has room for them, hide each other's waits; what it leaves is the L1 cache, where
/// the fragments are.
double with_waits(const Clocks& k, const MatrixTile& t, int limit, double work, double memory, double waits) {
  const int two = 2 * (t.shared_bytes + 1024);
  const double slower = two > limit ? k.alone : two > kMuchShared ? k.little_cache : 1;
  return (std::max(work, memory) + 0.4 * std::min(work, memory) + waits / 2) * slower;
}

double cost_of_expand(const Sizes& z, MatrixTile& t) {
  const DeviceProblem& p = z.p;
  const Clocks& k = kExpand;
  t.row = make_matrix_bank(p, true, false, false, t.columns, z.type);
  t.column = make_matrix_bank(p, false, false, false, t.lines, z.type);
  const int us = most_sources(t.row, z.radius), vs = most_sources(t.column, z.radius);
  t.first_pitch = pitch_of(vs * t.channels), t.lines_pitch = pitch_of(t.columns * t.channels);
  t.together = 2;
  t.first = round_up((t.row.row_tiles + t.column.row_tiles) * int(sizeof(Steps)), 128);
  t.lines_at = t.first + round_up(t.row.steps * t.row.step * t.first_pitch * z.element, 128);
  t.lines_size = round_up(t.column.steps * t.column.step * t.lines_pitch * z.element, 128);
  t.shared_bytes = t.lines_at + t.together * t.lines_size;
  const double rows = z.rows * shared_out(units_of(vs * t.channels)) *
                      (t.row.row_tiles * (band_steps(t.row, z.radius) * k.step + k.tile) + k.unit);
  const double columns =
      shared_out(units_of(t.columns * t.channels)) *
      (p.mode_count * t.column.row_tiles * (band_steps(t.column, z.radius) * k.step + k.tile) + z.rows * k.unit);
  const double work = rows + columns + double(us) * vs * t.channels * z.element / 16;
  const double memory = double(p.mode_count) * t.lines * t.columns * t.channels * z.element / k.bytes;
  return with_waits(k, t, z.limit, work, memory, z.rows * k.turn + k.first) * double(t.blocks_of_map());
}

double cost_of_collect(const Sizes& z, MatrixTile& t) {
  const DeviceProblem& p = z.p;
  const Clocks& k = kCollect;
  t.row = make_matrix_bank(p, true, false, true, t.columns, z.type);
  t.column = make_matrix_bank(p, false, true, true, t.lines, z.type);
  t.most_radius = z.radius;
  t.window = 1;
  for (int i = 0, begin = 0; i < t.row.tiles; ++i) {
    const LineSpan js = t.row.targets_of(z.radius, i);
    const int next = i + 1 < t.row.tiles ? t.row.targets_of(z.radius, i + 1).begin : p.in_width;
    t.window = std::max({t.window, js.begin + js.count - begin, next - begin});
    begin = next;
  }
  t.first_pitch = round_up(t.lines * t.channels, kUnitColumns) + 16, t.lines_pitch = pitch_of(t.lines * t.channels);
  t.first = round_up(t.row.row_tiles * int(sizeof(Steps)), 128);
  t.lines_at = t.first + round_up(t.window * t.first_pitch * 4, 128);
  t.lines_size = round_up(t.row.steps * t.row.step * t.lines_pitch * z.element, 128);
  t.shared_bytes = t.lines_at + t.together * t.lines_size;
  const int ys = most_sources(t.column, z.radius);
  const double together = t.together, turns = std::ceil(z.rows / together), per_factor = double(p.mode_count) / z.rows,
               tiles = std::ceil(most_targets(t.row, z.radius) / 16.0), groups = std::ceil(tiles / 2);
  const double columns =
      filled(together * units_of(t.columns * t.channels)) *
      (per_factor * (t.column.row_tiles * band_steps(t.column, z.radius) * k.step + t.column.steps * k.read) +
       2 * k.unit);
  const double rows = filled(units_of(t.lines * t.channels) * groups) *
                      (tiles / groups * (together * t.row.steps * k.step + 2 * k.tile) + k.unit);
  const double memory = double(p.mode_count) * ys * t.columns * t.channels * z.element / k.bytes;
  return with_waits(k, t, z.limit, turns * (rows + columns), memory, turns * 8 * k.turn) * double(t.row.tiles) *
         double(t.blocks_of_map());
}

/// Tries every tile with slabs of at least `narrowest` channels.
template <class Cost>
bool find_tile(const Sizes& z, int height, int width, int most_lines, int most_together, int narrowest,
               const Cost& cost, MatrixTile& best) {
  const DeviceProblem& p = z.p;
  MatrixTile t{};
  double least = -1;
  for (int slabs = 1; slabs <= p.in_channels; slabs = slabs < 8 ? slabs + 1 : slabs * 2) {
    t.channels = static_cast<int>(divide_up(p.in_channels, slabs));
    t.wide = p.in_channels % z.vector == 0 && narrowest >= z.vector;
    if (t.wide) t.channels = round_up(t.channels, 32 / z.element);  // whole sectors, and a lane's eight columns
    if (t.channels > 64 || t.channels < narrowest) continue;
    t.by_channels = (1u << 31) / static_cast<unsigned>(t.channels) + 1;
    t.slabs = static_cast<int>(divide_up(p.in_channels, t.channels));
    for (int y_tiles = 1; y_tiles <= height; y_tiles = y_tiles < 8 ? y_tiles + 1 : y_tiles * 2)
      for (int x_tiles = 1; x_tiles <= width; x_tiles = x_tiles < 8 ? x_tiles + 1 : x_tiles * 2) {
        t.lines = static_cast<int>(divide_up(height, y_tiles)), t.columns = static_cast<int>(divide_up(width, x_tiles));
        t.line_tiles = static_cast<int>(divide_up(height, t.lines));
        t.column_tiles = static_cast<int>(divide_up(width, t.columns));
        if (t.lines > most_lines || int64_t(t.lines) * t.columns * t.channels * z.element > z.limit) continue;
        for (int together = 1; together <= most_together; ++together) {
          t.together = together;
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
MatrixTile best_tile(const Sizes& z, int height, int width, int most_lines, int most_together, const char* what,
                     const Cost& cost) {
  MatrixTile best{};
  const int sector = std::min(32 / z.element, z.p.in_channels);
  const bool found = find_tile(z, height, width, most_lines, most_together, sector, cost, best) ||
                     find_tile(z, height, width, most_lines, most_together, 1, cost, best);
  require(found, "separable_joint_conv: got filters of ", 2 * z.radius + 1,
          " pixels, expected fewer on a GPU: no tile of ", what, " fits into its shared memory");
  return best;
}

}  // namespace

ModesByRow modes_by_row(const DeviceProblem& p) {
  ModesByRow m{};
  int16_t mode = 0;
  for (int row = 0; row < p.row_modes; ++row) {
    const int16_t begin = mode;
    for (int k = 0; k < p.mode_count; ++k)
      if (p.modes[k].row == row) {
        m.k[mode] = static_cast<int16_t>(k);
        m.column[mode++] = static_cast<int16_t>(p.modes[k].column);
      }
    if (mode == begin) continue;
    m.row[m.count] = static_cast<int16_t>(row), m.begin[m.count++] = begin;
  }
  m.begin[m.count] = mode;
  return m;
}

MatrixTile plan_matrix_expand(const DeviceProblem& p, DataType type) {
  const Sizes z(p, type);
  return best_tile(z, p.out_height, p.out_width, 1 << 30, 1, "expand",
                   [&](MatrixTile& t) { return cost_of_expand(z, t); });
}

MatrixTile plan_matrix_collect(const DeviceProblem& p, DataType type) {
  const Sizes z(p, type);
  return best_tile(z, p.in_height, p.out_width, 16 * kMostRowTiles, std::min(kMostTogether, z.rows), "collect",
                   [&](MatrixTile& t) { return cost_of_collect(z, t); });
}

}  // namespace scdcf::ops::cuda
