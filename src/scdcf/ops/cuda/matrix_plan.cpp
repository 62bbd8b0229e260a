// Tiles of matrix_passes.h: every tile that fits is tried, and the one kept that a count of clocks says is fastest.
#include <algorithm>

#include "scdcf/ops/cuda/device_limits.h"
#include "scdcf/ops/cuda/matrix_passes.h"

namespace scdcf::ops::cuda {
namespace {

constexpr int kWarps = kMatrixThreads / 32, kUnitColumns = 32;
// Clocks of a multiprocessor: a product of four by a warp, what is done once per row tile and per unit, bytes of device
// memory a clock, a barrier with what it makes wait, a first load.
constexpr double kStepClocks = 6.5, kTileClocks = 22, kUnitClocks = 40, kBytes = 18, kTurn = 400, kFirst = 1500;

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
        rows(0) {
    const ModesByRow modes = modes_by_row(p);
    for (int b = 0; b < p.row_modes; ++b) rows += modes.begin[b] < modes.begin[b + 1];
  }
};

int pitch_of(int columns) { return round_up(columns, kUnitColumns) + 8; }
/// Turns of a warp, times the warps, that so many columns need.
double turns(int columns) {
  const auto units = divide_up(columns, kUnitColumns);
  return units >= kWarps ? static_cast<double>(divide_up(units, kWarps)) * kWarps : double(units);
}
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
/// Where little shared memory lets two blocks run side by side, one works while the other waits.
double waiting(const MatrixTile& t, int limit) { return 2 * (t.shared_bytes + 1024) <= limit ? 0.5 : 1.0; }

double cost_of_expand(const Sizes& z, MatrixTile& t) {
  const DeviceProblem& p = z.p;
  t.row = make_matrix_bank(p, true, false, false, t.columns, z.type);
  t.column = make_matrix_bank(p, false, false, false, t.lines, z.type);
  const int us = most_sources(t.row, z.radius), vs = most_sources(t.column, z.radius);
  t.first_pitch = pitch_of(vs * t.channels), t.lines_pitch = pitch_of(t.columns * t.channels);
  t.first = round_up((t.row.row_tiles + t.column.row_tiles) * int(sizeof(uint32_t)), 128);
  t.lines_at = t.first + round_up(t.row.steps * t.row.step * t.first_pitch * z.element, 128);
  t.lines_size = round_up(t.column.steps * t.column.step * t.lines_pitch * z.element, 128);
  t.shared_bytes = t.lines_at + 2 * t.lines_size;
  const double rows = z.rows * turns(vs * t.channels) *
                      (t.row.row_tiles * (band_steps(t.row, z.radius) * kStepClocks + kTileClocks) + kUnitClocks);
  const double columns =
      turns(t.columns * t.channels) *
      (p.mode_count * t.column.row_tiles * (band_steps(t.column, z.radius) * kStepClocks + kTileClocks) +
       z.rows * kUnitClocks);
  const double work = rows + columns + double(us) * vs * t.channels * z.element / 16;
  const double memory = double(p.mode_count) * t.lines * t.columns * t.channels * z.element / kBytes;
  return (std::max(work, memory) + 0.4 * std::min(work, memory) + (z.rows * kTurn + kFirst) * waiting(t, z.limit)) *
         double(t.blocks_of_map());
}

double cost_of_collect(const Sizes& z, MatrixTile& t) {
  const DeviceProblem& p = z.p;
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
  t.first = round_up((t.row.row_tiles + t.column.row_tiles) * int(sizeof(uint32_t)), 128);
  t.lines_at = t.first + round_up(t.window * t.first_pitch * 4, 128);
  t.lines_size = round_up(t.row.steps * t.row.step * t.lines_pitch * z.element, 128);
  t.shared_bytes = t.lines_at + 2 * t.lines_size;
  const int ys = most_sources(t.column, z.radius), js = most_targets(t.row, z.radius);
  const double columns =
      turns(t.columns * t.channels) *
      (p.mode_count * (t.column.row_tiles * band_steps(t.column, z.radius) * kStepClocks + t.column.steps * 10) +
       z.rows * kUnitClocks);
  const double rows = z.rows * turns(t.lines * t.channels) *
                      (divide_up(js, 16) * (band_steps(t.row, z.radius) * kStepClocks + kTileClocks) + kUnitClocks);
  const double memory = double(p.mode_count) * ys * t.columns * t.channels * z.element / kBytes, work = rows + columns;
  return (std::max(work, memory) + 0.4 * std::min(work, memory) + z.rows * 3 * kTurn * waiting(t, z.limit)) *
         double(t.row.tiles) * double(t.blocks_of_map());
}

/// Tries every tile; slabs of channels are whole sectors of memory, 32 bytes, where they can be.
template <class Cost>
bool find_tile(const Sizes& z, int height, int width, int most_lines, const Cost& cost, MatrixTile& best) {
  const DeviceProblem& p = z.p;
  MatrixTile t{};
  double least = -1;
  for (int slabs = 1; slabs <= p.in_channels; slabs = slabs < 8 ? slabs + 1 : slabs * 2) {
    t.channels = static_cast<int>(divide_up(p.in_channels, slabs));
    if (p.in_channels % z.vector == 0) t.channels = round_up(t.channels, z.vector);
    if (t.channels > 64 || t.channels < std::min(32 / z.element, p.in_channels)) continue;
    t.wide = p.in_channels % z.vector == 0;
    t.slabs = static_cast<int>(divide_up(p.in_channels, t.channels));
    for (int y_tiles = 1; y_tiles <= height; y_tiles = y_tiles < 8 ? y_tiles + 1 : y_tiles * 2)
      for (int x_tiles = 1; x_tiles <= width; x_tiles = x_tiles < 8 ? x_tiles + 1 : x_tiles * 2) {
        t.lines = static_cast<int>(divide_up(height, y_tiles)), t.columns = static_cast<int>(divide_up(width, x_tiles));
        t.line_tiles = static_cast<int>(divide_up(height, t.lines));
        t.column_tiles = static_cast<int>(divide_up(width, t.columns));
        if (t.lines > most_lines || int64_t(t.lines) * t.columns * t.channels * z.element > z.limit) continue;
        const double c = cost(t);
        if (std::max(t.row.steps, t.column.steps) > kMostSteps || t.row.row_tiles > 256 || t.column.row_tiles > 256)
          continue;
        if (t.shared_bytes > z.limit || t.shared_bytes < 0 || (least >= 0 && c >= least)) continue;
        best = t, least = c;
      }
  }
  return least >= 0;
}

}  // namespace

ModesByRow modes_by_row(const DeviceProblem& p) {
  ModesByRow modes{};
  int16_t count = 0;
  for (int row = 0; row < kMaxModes; ++row) {
    modes.begin[row] = count;
    for (int k = 0; k < p.mode_count; ++k)
      if (p.modes[k].row == row) {
        modes.k[count] = static_cast<int16_t>(k);
        modes.column[count++] = static_cast<int16_t>(p.modes[k].column);
      }
  }
  modes.begin[kMaxModes] = count;
  return modes;
}

bool plan_matrix_expand(const DeviceProblem& p, DataType type, MatrixTile& tile) {
  if (type == DataType::float64 || p.row_modes > kMaxModes) return false;
  const Sizes z(p, type);
  return find_tile(
      z, p.out_height, p.out_width, 1 << 30, [&](MatrixTile& t) { return cost_of_expand(z, t); }, tile);
}

bool plan_matrix_collect(const DeviceProblem& p, DataType type, MatrixTile& tile) {
  if (type == DataType::float64 || p.row_modes > kMaxModes) return false;
  const Sizes z(p, type);
  return find_tile(
      z, p.in_height, p.out_width, 16 * kMostRowTiles, [&](MatrixTile& t) { return cost_of_collect(z, t); }, tile);
}

}  // namespace scdcf::ops::cuda
