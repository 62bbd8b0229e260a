#include <algorithm>

#include "scdcf/ops/cuda/chained/chained.h"
#include "scdcf/ops/cuda/machine/device_limits.h"

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

/// Tiles of 16 rows q by up to `most` positions p, several images where they are smaller, `q_run` of them to a block;
/// false where there are too many factors.
bool plan_tiles(const DeviceProblem& p, bool forward, int parts, int most, int q_run, ChainedTiles& f) {
  if (p.row_modes > kMaxFactors || p.column_modes > kMaxFactors) return false;
  static_cast<Direction&>(f) = make_direction(p, forward);
  sort_modes(p, forward, f);
  f.parts = parts;
  f.chunks = static_cast<int>(divide_up(f.source_channels, kChannels));
  const int radius = p.max_radius(), positions = cut(f.first, radius, most), tile_lines = cut(f.second, radius, 16);
  f.q_run = std::min(q_run, f.second.tiles), f.q_runs = static_cast<int>(divide_up(f.second.tiles, f.q_run));
  for (int tile = 0; tile < f.second.tiles; tile += f.q_run)
    f.lines = std::max(f.lines, f.lines_of(radius, tile).count);
  f.first_bits = f.first.tiles == 1 ? bits_of(f.first.tile, positions) : 0;
  f.second_bits = f.second.tiles == 1 ? bits_of(f.second.tile, tile_lines) : 0;
  f.images = f.first.tiles == 1 ? std::max(1, std::min((most << f.second_bits) / f.first.tile, f.batch)) : 1;
  f.groups = static_cast<int>(divide_up(f.batch, f.images));
  f.row_tiles = static_cast<int>(divide_up(f.images, 1 << f.first_bits));
  f.position_tiles = static_cast<int>(divide_up(f.positions(), 1 << f.second_bits));
  f.first_steps = f.steps_of(positions, f.first_bits);
  f.second_steps = f.steps_of(tile_lines, f.second_bits);
  f.pitch = f.row_tiles * f.row_slots() * kSlot + 16;  // so that eight lines lie in different banks
  f.plane = f.lines * f.pitch;
  f.second_at = f.first_fragments() * kFragment;
  f.places_at = f.second_at + f.q_run * f.second_fragments() * kFragment;
  f.tile_lines_at = f.places_at + f.place_count() * 16;
  f.lines_at = f.tile_lines_at + round_up(f.q_run * static_cast<int>(sizeof(TileLines)), 16);
  f.shared_bytes = f.lines_at + f.lines_bytes();
  const int64_t image = std::max(int64_t(f.source_planes) * f.source_pixels * f.source_channels,
                                 int64_t(f.target_planes) * f.target_pixels * f.target_channels);
  if (f.images * image >= int64_t(1) << 30) return false;  // offsets within a tile are 32 bits, of bytes
  return f.shared_bytes <= shared_memory_limit();
}

int parts_of(DataType type, Precision precision) {
  return type == DataType::float32 && precision == Precision::fp32 ? 2 : 1;
}

}  // namespace

BlockProducts block_products(const ChainedTiles& f, int rows, int wide, int radius) {
  const LineSpan us = f.first.reach(radius, 0), vs = f.second.reach(radius, 0);
  const int first = f.steps_of(us.count, f.first_bits), second = f.steps_of(vs.count, f.second_bits);
  return {int64_t(2) * first * f.first.modes * f.lines_of(radius, 0).count * f.row_tiles,
          int64_t(f.q_run) * rows * f.mode_count * (2 * second + wide / 8)};
}

namespace {

constexpr int kPositions[] = {16, 8}, kRuns[] = {1, 2, 4};  // of a tile p, and of tiles q, that plans try

int most_stages(const Direction& f) {
  int most = 0;
  for (int t = 0; t < f.target_planes; ++t) most = std::max(most, f.stage_begin[t + 1] - f.stage_begin[t]);
  return most;
}

/// Completes a plan whose tiles and widths are chosen; false where a block cannot have as many warps or bytes.
bool complete(ChainedPlan& f) {
  const int most = kChainedWarps / f.parts;
  f.team_warps = static_cast<int>(divide_up(f.position_tiles, 2));
  f.teams = f.items();
  if (most_stages(f) * f.chunks <= 1) f.teams = std::min(f.teams, std::max(1, most / f.team_warps));
  f.wide_blocks = static_cast<int>(divide_up(f.wides, f.block_wides));
  f.matrix_at = f.lines_at + f.lines_bytes();
  f.block_at = f.matrix_at + f.block_wides * f.matrix_bytes();
  f.shared_bytes = f.block_at + kBlockBytes;
  return f.warps() <= most && f.shared_bytes <= shared_memory_limit();
}

/// Blocks of so many warps and bytes that a multiprocessor holds.
int resident_blocks(int warps, int most_warps, int shared_bytes) {
  constexpr int kOwn = 1024;  // bytes that every block takes beside its own
  return std::max(1, std::min(most_warps / warps, (shared_memory_limit() + kOwn) / (shared_bytes + kOwn)));
}

/// A multiprocessor's time, in products of the mix; the weights are the ratios of what form_cost.cpp has in
/// milliseconds.
double cost_of(const ChainedPlan& f, int radius) {
  const int resident = resident_blocks(f.warps(), kChainedWarps / f.parts, f.shared_bytes);
  const double blocks = double(f.target_planes) * f.groups * f.first.tiles * f.q_runs * f.wide_blocks;
  const double mine = std::max(blocks / multiprocessors(), double(resident));
  const BlockProducts work = block_products(f, 2 * f.team_warps, f.wide, radius);
  const double few = resident * f.warps() >= 12 ? 1.0 : resident * f.warps() >= 7 ? 1.4 : 2.5;  // warps wait
  const double alone = resident == 1 ? 1.05 : 1.0;  // no other block multiplies while this one makes its lines
  return mine * few * alone *
         (5.6 * double(work.first) + f.block_wides * double(work.mix) + 190.0 * f.items() * f.team_warps);
}

}  // namespace

bool plan_chained(const DeviceProblem& p, bool forward, DataType type, Precision precision, ChainedPlan& best) {
  if (type == DataType::float64) return false;
  double least = -1;
  for (int positions : kPositions)
    for (int q_run : kRuns) {
      ChainedPlan f{};
      if (!plan_tiles(p, forward, parts_of(type, precision), positions, q_run, f)) continue;
      if (f.q_run < q_run) break;
      for (f.wide = 16; f.wide <= 64; f.wide += 16) {
        f.wides = static_cast<int>(divide_up(f.target_channels, f.wide));
        for (f.block_wides = 1; f.block_wides <= f.wides && complete(f); ++f.block_wides) {
          const double cost = cost_of(f, p.max_radius());
          if (least < 0 || cost < least) best = f, least = cost;
        }
        if (f.wides == 1) break;
      }
    }
  if (least < 0) return false;
  // Long enough that factors are seldom fetched anew, short enough that all multiprocessors end together.
  const int64_t blocks = int64_t(best.target_planes) * best.groups * best.first.tiles * best.q_runs * best.wide_blocks;
  const int resident = resident_blocks(best.warps(), kChainedWarps / best.parts, best.shared_bytes);
  best.run = static_cast<int>(std::clamp<int64_t>(blocks / (8 * resident * multiprocessors()), 1, best.groups));
  best.runs = static_cast<int>(divide_up(best.groups, best.run));
  return true;
}

bool plan_chained_gradient(const DeviceProblem& p, DataType type, Precision precision, ChainedGradientPlan& best) {
  if (type == DataType::float64) return false;
  double least = -1;
  int resident = 1;
  for (int q_run : kRuns) {
    ChainedGradientPlan f{};
    if (!plan_tiles(p, true, parts_of(type, precision), kPositions[0], q_run, f)) continue;
    if (f.q_run < q_run) break;
    f.mode_groups = static_cast<int>(divide_up(f.mode_count, kGradientWarps));
    f.warps = static_cast<int>(divide_up(f.mode_count, f.mode_groups));
    f.grad_at = f.lines_at + f.lines_bytes();
    // Sums of more than 64 channels take the registers of more than 16 warps.
    for (int widest : {64, f.parts == 1 && f.warps <= kFewGradientWarps ? 128 : 64}) {
      f.wides = static_cast<int>(divide_up(f.target_channels, widest));
      f.wide = static_cast<int>(divide_up(f.target_channels, f.wides));
      f.wide = round_up(f.wide, f.wide > 64 ? 32 : 16);
      f.grad_pitch = f.wide * 2 + 16, f.grad_tile = 16 * f.grad_pitch;
      f.shared_bytes = f.grad_at + f.parts * f.q_run * f.grad_tiles() * f.grad_tile;
      if (f.shared_bytes > shared_memory_limit()) continue;
      const int blocks = resident_blocks(f.warps, std::max(f.warps, kFewGradientWarps), f.shared_bytes);
      const BlockProducts work = block_products(f, f.position_tiles, f.wide, p.max_radius());
      const double few = blocks * f.warps >= 12 ? 1.0 : 1.3;
      // First passes weigh more than in form_cost.cpp: two tiles q for the same lines were 10 to 20 % faster than one.
      const double cost =
          few * f.units_per_pair() * f.tiles() * (6.5 * double(work.first) + double(work.mix) + 1000 * f.q_run);
      if (least < 0 || cost < least) best = f, least = cost, resident = blocks;
    }
  }
  if (least < 0) return false;
  best.fill_pairs(p);
  best.fill_slices(best.tiles(), best.units_per_pair(), resident * multiprocessors());
  return true;
}

}  // namespace scdcf::ops::cuda
