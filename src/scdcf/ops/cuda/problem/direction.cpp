#include "scdcf/ops/cuda/problem/direction.h"

#include <algorithm>

#include "scdcf/ops/cuda/problem/magnitudes.h"

namespace scdcf::ops::cuda {
namespace {

void fill_stages(const DeviceProblem& p, bool forward, Direction& f) {
  for (int s = 0; s < p.scale_count; ++s) f.radius[s] = static_cast<int16_t>(p.scales[s].radius);
  int count = 0;
  for (int t = 0; t < f.target_planes; ++t) {
    f.stage_begin[t] = static_cast<int16_t>(count);
    for (int s = 0; s < p.scale_count; ++s) {
      if (forward && s != t) continue;
      const ScaleEntry& e = p.scales[s];
      for (int j = e.source_begin; j < e.source_end; ++j) {
        if (!forward && p.sources[j].plane != t) continue;
        Stage& stage = f.stages[count++];
        stage.source_plane = static_cast<int16_t>(forward ? p.sources[j].plane : s);
        stage.mixing = static_cast<int16_t>(p.sources[j].mixing);
        stage.scale = static_cast<int16_t>(s);
      }
    }
    f.order[t] = static_cast<int16_t>(t);
  }
  f.stage_begin[f.target_planes] = static_cast<int16_t>(count);
  // Longest first, so that the last wave of blocks is made of short ones.
  std::stable_sort(f.order, f.order + f.target_planes, [&](int a, int b) {
    return f.stage_begin[a + 1] - f.stage_begin[a] > f.stage_begin[b + 1] - f.stage_begin[b];
  });
}

}  // namespace

Direction make_direction(const DeviceProblem& p, bool forward) {
  Direction f{};
  f.batch = p.batch;
  f.flush_each = !forward;
  f.border_bits = forward ? 0 : border_bits(p);
  f.first = make_bank(p, forward, !forward, kMaxFactors);
  f.second = make_bank(p, !forward, !forward, kMaxFactors);
  f.source_planes = forward ? p.planes : p.scale_count;
  f.target_planes = forward ? p.scale_count : p.planes;
  f.source_channels = forward ? p.in_channels : p.out_channels;
  f.target_channels = forward ? p.out_channels : p.in_channels;
  f.source_pixels = forward ? p.in_height * p.in_width : p.out_height * p.out_width;
  f.target_pixels = forward ? p.out_height * p.out_width : p.in_height * p.in_width;
  f.u_step = forward ? 1 : p.out_width;
  f.v_step = forward ? p.in_width : 1;
  f.p_step = forward ? 1 : p.in_width;
  f.q_step = forward ? p.out_width : 1;
  fill_stages(p, forward, f);
  return f;
}

}  // namespace scdcf::ops::cuda
