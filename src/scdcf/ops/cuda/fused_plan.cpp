#include "scdcf/ops/cuda/fused_plan.h"

#include <algorithm>

#include "scdcf/ops/cuda/device_limits.h"

namespace scdcf::ops::cuda {
namespace {

void fill_pairs(const DeviceProblem& p, bool forward, FusedPlan& f) {
  for (int k = 0; k < p.mode_count; ++k) {
    const int first = forward ? p.modes[k].row : p.modes[k].column,
              second = forward ? p.modes[k].column : p.modes[k].row;
    f.pairs[second] |= 1u << first;
  }
}

void lay_out(FusedPlan& f, int element) {
  const int product_in = f.first.modes * f.rows() * (kChunk * element + 16);
  f.result_rows = round_up(f.images * f.first.tile * f.lines + f.second.depth * 8 - f.lines, 4);
  const int product_out = f.second.modes * f.result_rows * f.wide * 4;
  const int units = f.images * f.first.tile * (f.wide / 16) * ((f.second.row_tiles() + 1) / 2);
  f.second_turns = static_cast<int>(divide_up(units, f.warps()));
  f.second_slots = f.second.row_tiles() > 1 ? 8 : 4;
  f.table_offset = round_up(std::max(product_in, product_out), 128);
  f.sum_offset = f.table_offset + f.first.row_tiles() * 16 * 4;
  // Float results add up in the target itself; bf16 ones would lose digits there.
  const int sums = f.flush_each && element == 2 ? f.second_turns * f.second_slots * f.warps() * 32 * 8 : 0;
  f.shared_bytes = f.sum_offset + sums;
}

/// Clocks of one multiprocessor for the whole launch, roughly: tensor work at the mma.sync rate, against the mixing
/// matrices' way from L2; more blocks per multiprocessor overlap better.
double cost(const FusedPlan& f, int element, int multiprocessors) {
  const double k_steps = kChunk * element / 32.0 * f.chunks * f.first.modes;
  const double mix = f.warps() * kRowTiles * kColumnTiles * k_steps * 1.7;
  const double traffic = k_steps * f.warps_n * kColumnTiles * 256 / 24.0;
  const double first = double(f.images) * f.lines * f.chunks * f.first.row_tiles() * (f.first.depth * 14.0 + 12);
  const double second =
      double(f.images) * f.first.tile * f.wide / 16 * f.second.steps() * (3 + 4.0 * f.second.row_tiles());
  const double stages = double(f.stage_begin[f.target_planes]) / f.target_planes;
  const double flushes = f.flush_each ? stages : 1;
  const double block = stages * (std::max(mix, traffic) + first + 200.0 * f.chunks) + flushes * (second + 400) + 500;
  const int resident = std::max(1, std::min({kFusedWarps / f.warps(), 230000 / (f.shared_bytes + 1024), 4}));
  const double slots = double(multiprocessors) * resident;
  return block * (0.6 + 1.2 / resident) * std::max(1.0, double(f.blocks()) / slots) * resident;
}

}  // namespace

int64_t FusedPlan::packed_words(int mixings, int element) const {
  return int64_t(mixings) * wides * chunks * first.modes * (kChunk * element / 32) * warps_n * kColumnTiles * 64;
}

bool plan_fused(const DeviceProblem& p, bool forward, int element, FusedPlan& best) {
  if (p.row_modes > kMaxFactors || p.column_modes > kMaxFactors) return false;
  FusedPlan f{};
  static_cast<Direction&>(f) = make_direction(p, forward);
  fill_pairs(p, forward, f);
  f.chunks = static_cast<int>(divide_up(f.source_channels, kChunk));
  const int radius = p.max_radius(), limit = shared_memory_limit(), sms = multiprocessors(), p_size = f.first.size(),
            q_size = f.second.size();
  double best_cost = -1;
  for (int q_tiles = 1; q_tiles <= q_size && q_tiles <= 64; q_tiles = q_tiles < 8 ? q_tiles + 1 : q_tiles * 2) {
    f.lines = f.second.set_tile(static_cast<int>(divide_up(q_size, q_tiles)), radius);
    if (f.lines > kFusedWarps * kRowTiles * 16) continue;
    for (f.wide = 16; f.wide < round_up(f.target_channels, 16) + 16 && f.wide <= 64; f.wide += 16) {
      f.wides = static_cast<int>(divide_up(f.target_channels, f.wide));
      f.warps_n = static_cast<int>(divide_up(f.second.modes * f.wide, 32));
      for (f.warps_m = 1; f.warps() <= kFusedWarps; ++f.warps_m) {
        const int room = f.rows() / f.lines;  // columns of `lines` pixels
        if (room == 0) continue;
        f.first.set_tile(static_cast<int>(divide_up(p_size, divide_up(p_size, std::min(room, p_size)))), radius);
        f.images = f.first.tiles == 1 ? std::max(1, std::min(room / f.first.tile, f.batch)) : 1;
        f.groups = static_cast<int>(divide_up(f.batch, f.images));
        lay_out(f, element);
        if (f.shared_bytes > limit) continue;
        const double c = cost(f, element, sms);
        if (best_cost < 0 || c < best_cost) best = f, best_cost = c;
      }
    }
  }
  return best_cost >= 0;
}

}  // namespace scdcf::ops::cuda
