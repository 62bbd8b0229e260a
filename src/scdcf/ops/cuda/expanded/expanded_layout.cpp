#include "scdcf/ops/cuda/expanded/expanded_layout.h"

namespace scdcf::ops::cuda {
namespace {

bool same_mixings(const DeviceProblem& p, const ScaleEntry& a, const ScaleEntry& b) {
  if (a.source_end - a.source_begin != b.source_end - b.source_begin) return false;
  for (int j = 0; j < a.source_end - a.source_begin; ++j)
    if (p.sources[a.source_begin + j].mixing != p.sources[b.source_begin + j].mixing) return false;
  return true;
}

}  // namespace

ExpandedLayout make_expanded_layout(const DeviceProblem& p) {
  ExpandedLayout l{};
  for (int s = 0; s < p.scale_count; ++s) {
    if (s > 0 && same_mixings(p, p.scales[s - 1], p.scales[s])) {
      l.groups[l.group_count - 1].scale_end = s + 1;
      continue;
    }
    ScaleGroup& g = l.groups[l.group_count++];
    g.scale_begin = s, g.scale_end = s + 1, g.slot = l.slot_count;
    g.sources = p.scales[s].source_end - p.scales[s].source_begin;
    for (int j = p.scales[s].source_begin; j < p.scales[s].source_end; ++j)
      l.slot_mixing[l.slot_count++] = static_cast<int16_t>(p.sources[j].mixing);
  }
  for (int i = 0; i < l.group_count; ++i) {
    ScaleGroup& g = l.groups[i];
    g.numbers_before = l.image_numbers;
    g.numbers = int64_t(g.scale_end - g.scale_begin) * p.out_height * p.out_width * l.depth(p, g);
    l.image_numbers += g.numbers;
  }
  return l;
}

ExpandedPlaces ExpandedLayout::places(const DeviceProblem& p, int images) const {
  ExpandedPlaces places{};
  for (int i = 0; i < group_count; ++i) {
    const ScaleGroup& g = groups[i];
    const int64_t scale_numbers = int64_t(p.out_height) * p.out_width * depth(p, g);
    for (int s = g.scale_begin; s < g.scale_end; ++s)
      places.scale[s] = {g.numbers_before * images + (s - g.scale_begin) * scale_numbers, g.numbers,
                         static_cast<int>(depth(p, g))};
  }
  return places;
}

ModeRuns make_mode_runs(const DeviceProblem& p, int most) {
  ModeRuns runs{};
  for (int row = 0; row < p.row_modes; ++row) {
    ModeRun* run = nullptr;
    for (int k = 0; k < p.mode_count; ++k) {
      if (p.modes[k].row != row) continue;
      if (run == nullptr || run->count == most) {
        run = &runs.run[runs.count++];
        run->row = static_cast<int16_t>(row);
      }
      run->k[run->count] = static_cast<int16_t>(k);
      run->column[run->count++] = static_cast<int16_t>(p.modes[k].column);
    }
  }
  return runs;
}

}  // namespace scdcf::ops::cuda
