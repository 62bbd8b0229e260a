#include <algorithm>

#include "scdcf/ops/cuda/machine/device_limits.h"
#include "scdcf/ops/cuda/streamed/streamed.h"

namespace scdcf::ops::cuda {
namespace {

/// The target channels of a block: 32, 64 or 96, so that as few as possible are padding.
void choose_rows(StreamedPlan& f) {
  int best = 0;
  for (int wide : {32, 64, 96}) {
    if (wide == 96 && f.pitch == 28) continue;  // the sums of 28 lines would need too many registers
    const int padded = round_up(f.target_channels, wide);
    if (best && padded > round_up(f.target_channels, best)) continue;
    best = wide;
  }
  f.consumers = best == 96 ? 3 : 2, f.row_tiles = best == 32 ? 1 : 2;
}

template <class Tile>
bool cut(StreamedPlan& f, int radius) {
  const int p_size = f.first.size(), most = std::min(Tile::columns, Tile::bank_tiles * 16 / f.first.modes);
  f.first.set_tile(static_cast<int>(divide_up(p_size, divide_up(p_size, most))), radius);
  f.images = f.first.tiles == 1 ? std::max(1, std::min(Tile::columns / f.first.tile, f.batch)) : 1;
  f.groups = static_cast<int>(divide_up(f.batch, f.images));
  f.width = Tile::width, f.wide = Tile::wide;
  f.wides = static_cast<int>(divide_up(f.target_channels, f.wide));
  f.piece_bytes = Tile::piece_bytes, f.factor_bytes = Tile::factor_bytes;
  return f.first.depth <= Tile::depth && Tile::shared_bytes <= shared_memory_limit();
}

/// First passes stay below 2^10 (number_format.cuh), and sums of so many of them below 2^15.
int mixing_exponent(const StreamedPlan& f) {
  int most = 1, bits = 0;
  for (int t = 0; t < f.target_planes; ++t) most = std::max(most, f.stage_begin[t + 1] - f.stage_begin[t]);
  const int64_t terms = int64_t(f.flush_each ? 1 : most) * f.first.modes * f.source_channels;
  while (int64_t(1) << bits < terms) ++bits;
  return 5 - bits;
}

}  // namespace

bool plan_streamed(const DeviceProblem& p, bool forward, DataType type, Precision precision, StreamedPlan& f) {
  if (type == DataType::float64 || (type == DataType::float32 && precision == Precision::fp32)) return false;
  if (!has_wgmma()) return false;
  if (p.row_modes > kStreamedModes || p.column_modes > kStreamedModes) return false;
  f = {};
  static_cast<Direction&>(f) = make_direction(p, forward);
  if (f.source_channels % 4 || f.target_channels % 4) return false;  // moved four at a time
  for (int t = 0; t < f.target_planes; ++t)
    if (f.stage_begin[t] == f.stage_begin[t + 1]) return false;
  const int radius = p.max_radius(), q_size = f.second.size();
  f.lines = f.second.set_tile(q_size, radius);
  f.chunks = static_cast<int>(divide_up(f.source_channels, kChunk));
  f.pairs = static_cast<int>(divide_up(f.first.modes, 2));
  f.mixing_exponent = mixing_exponent(f);
  const int reach = std::max(f.lines, q_size);
  if (reach > 28) return false;
  f.pitch = reach > 14 ? 28 : reach > 8 ? 14 : 8;
  choose_rows(f);
  bool fits = false;
  visit_tile(f, [&](auto tile) { fits = cut<decltype(tile)>(f, radius); });
  if (!fits) return false;
  const int64_t source = int64_t(f.images) * f.source_planes * f.source_pixels * f.source_channels,
                result = int64_t(f.images) * f.target_planes * f.target_pixels * f.target_channels;
  if (std::max(source, result) >= int64_t(1) << 31) return false;  // offsets within a tile's images are 32-bit numbers
  f.cluster = kClusterSize;
  f.tile_groups = static_cast<int>(divide_up(f.groups * f.first.tiles, f.cluster));
  f.clusters = std::min(multiprocessors() / f.cluster, f.items());
  return true;
}

}  // namespace scdcf::ops::cuda
