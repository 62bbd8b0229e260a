#include <algorithm>

#include "scdcf/ops/cuda/chained.h"
#include "scdcf/ops/cuda/device_limits.h"

namespace scdcf::ops::cuda {
namespace {

/// 2^bits share a tile of 16 rows whose lines have `targets` and read `sources`.
int bits_of(int targets, int sources) {
  const int larger = std::max(targets, sources);
  return larger <= 4 ? 2 : larger <= 8 ? 1 : 0;
}

/// The fewest tiles of at most `most` targets, all nearly alike; returns what one of them reads at most.
int cut(LineBank& bank, int radius, int most) {
  const auto tiles = divide_up(bank.size(), most);
  return bank.set_tile(static_cast<int>(divide_up(bank.size(), tiles)), radius);
}

void sort_modes(const DeviceProblem& p, bool forward, ChainedTiles& f) {
  int count = 0;
  for (int second = 0; second < f.second.modes; ++second) {
    f.mode_begin[second] = static_cast<int16_t>(count);
    for (int k = 0; k < p.mode_count; ++k) {
      const int first = forward ? p.modes[k].row : p.modes[k].column;
      if ((forward ? p.modes[k].column : p.modes[k].row) != second) continue;
      f.mode_first[count] = static_cast<int8_t>(first), f.mode_index[count++] = static_cast<int16_t>(k);
    }
  }
  f.mode_begin[f.second.modes] = static_cast<int16_t>(count);
  f.mode_count = count;
}

/// Tiles of 16 x 16 pixels, several images where they are smaller; false where there are too many factors.
bool plan_tiles(const DeviceProblem& p, bool forward, int parts, ChainedTiles& f) {
  if (p.row_modes > kMaxFactors || p.column_modes > kMaxFactors) return false;
  static_cast<Direction&>(f) = make_direction(p, forward);
  sort_modes(p, forward, f);
  f.parts = parts;
  f.chunks = static_cast<int>(divide_up(f.source_channels, kChannels));
  const int radius = p.max_radius(), positions = cut(f.first, radius, 2 * kChainedWarps);
  f.lines = cut(f.second, radius, 16);
  while (!forward && p.replicate && 1 << f.border_bits < radius + 1) ++f.border_bits;
  f.first_bits = f.first.tiles == 1 ? bits_of(f.first.tile, positions) : 0;
  f.second_bits = f.second.tiles == 1 ? bits_of(f.second.tile, f.lines) : 0;
  const int most = 2 * kChainedWarps << f.second_bits;  // positions of a tile
  f.images = f.first.tiles == 1 ? std::max(1, std::min(most / f.first.tile, f.batch)) : 1;
  f.groups = static_cast<int>(divide_up(f.batch, f.images));
  f.row_tiles = static_cast<int>(divide_up(f.images, 1 << f.first_bits));
  f.position_tiles = static_cast<int>(divide_up(f.positions(), 1 << f.second_bits));
  f.first_steps = f.steps_of(positions, f.first_bits);
  f.second_steps = f.steps_of(f.lines, f.second_bits);
  f.pitch = f.row_tiles * f.row_slots() * kSlot + 16;  // so that eight lines lie in different banks
  f.plane = f.lines * f.pitch;
  f.second_at = f.first_fragments() * kFragment;
  f.places_at = f.second_at + f.second_fragments() * kFragment;
  f.lines_at = f.places_at + f.place_count() * 16;
  f.shared_bytes = f.lines_at + f.first.modes * parts * f.plane;
  const int64_t image = std::max(int64_t(f.source_planes) * f.source_pixels * f.source_channels,
                                 int64_t(f.target_planes) * f.target_pixels * f.target_channels);
  if (f.images * image >= int64_t(1) << 31) return false;  // offsets within a tile are 32-bit numbers
  return f.shared_bytes <= shared_memory_limit();
}

int parts_of(DataType type, Precision precision) {
  return type == DataType::float32 && precision == Precision::fp32 ? 2 : 1;
}

}  // namespace

int64_t tile_products(const ChainedTiles& f, int rows, int wide, int radius) {
  const LineSpan us = f.first.reach(radius, 0), vs = f.second.reach(radius, 0);
  const int first = f.steps_of(us.count, f.first_bits), second = f.steps_of(vs.count, f.second_bits);
  return int64_t(2) * first * f.first.modes * vs.count * f.row_tiles +
         rows * int64_t(f.mode_count) * (2 * second + wide / 8);
}

bool plan_chained(const DeviceProblem& p, bool forward, DataType type, Precision precision, ChainedPlan& best) {
  ChainedPlan f{};
  if (type == DataType::float64 || !plan_tiles(p, forward, parts_of(type, precision), f)) return false;
  f.warps = static_cast<int>(divide_up(f.position_tiles, 2));
  f.matrix_at = f.shared_bytes;
  const int tiles_bytes = f.shared_bytes, limit = shared_memory_limit();
  double least = -1;
  for (f.wide = 16; f.wide <= 64; f.wide += 16) {
    f.wides = static_cast<int>(divide_up(f.target_channels, f.wide));
    f.shared_bytes = tiles_bytes + f.matrix_bytes();
    if (f.shared_bytes > limit) break;
    // As many tiles after each other as a multiprocessor has to do, at the rate of one or two blocks.
    const int resident = f.parts == 1 && f.shared_bytes <= limit / 2 - 512 ? 2 : 1;
    const int64_t tiles = int64_t(f.target_planes) * f.groups * f.first.tiles * f.second.tiles * f.wides;
    const auto waves = static_cast<double>(divide_up(tiles, int64_t(resident) * multiprocessors()));
    const double cost = waves * resident * (resident == 2 ? 1.0 : 1.4) *
                        (double(tile_products(f, 2 * f.warps, f.wide, p.max_radius())) + 300);
    if (least < 0 || cost < least) best = f, least = cost;
    if (f.wides == 1) break;
  }
  if (least < 0) return false;
  // Long enough that factors are seldom fetched anew, short enough that all multiprocessors end together.
  const int64_t blocks = int64_t(best.target_planes) * best.groups * best.first.tiles * best.second.tiles * best.wides;
  best.run = static_cast<int>(std::clamp<int64_t>(blocks / (16 * multiprocessors()), 1, best.groups));
  best.runs = static_cast<int>(divide_up(best.groups, best.run));
  return true;
}

bool plan_chained_gradient(const DeviceProblem& p, DataType type, Precision precision, ChainedGradientPlan& f) {
  f = {};
  if (type == DataType::float64 || !plan_tiles(p, true, parts_of(type, precision), f)) return false;
  f.mode_groups = static_cast<int>(divide_up(f.mode_count, kGradientWarps));
  f.warps = static_cast<int>(divide_up(f.mode_count, f.mode_groups));
  f.wides = static_cast<int>(divide_up(f.target_channels, 64));
  f.wide = round_up(static_cast<int>(divide_up(f.target_channels, f.wides)), 16);
  f.grad_at = f.shared_bytes;
  f.grad_pitch = f.wide * 2 + 16, f.grad_tile = 16 * f.grad_pitch;
  f.shared_bytes += f.parts * round_up(f.position_tiles, 2) * f.grad_tile;
  if (f.shared_bytes > shared_memory_limit()) return false;
  f.fill_pairs(p);
  const int resident = std::max(1, std::min(shared_memory_limit() / (f.shared_bytes + 1024), kGradientWarps / f.warps));
  f.fill_slices(f.tiles(), f.units_per_pair(), resident * multiprocessors());
  return true;
}

}  // namespace scdcf::ops::cuda
