// How the expanded form keeps its maps: Z[group][image][scale of the group][pixel][source of the scale][k][c].
//
// Scales in a row that read their planes through the same mixing matrices are a group: one product serves all their
// pixels. Its matrix is the stack of these matrices, [source][k][c][o]; stacks follow each other, a slot per matrix.
#pragma once

#include "scdcf/ops/cuda/problem/device_problem.h"

namespace scdcf::ops::cuda {

struct ScaleGroup {
  int scale_begin, scale_end, sources;
  int slot;                // the first matrix of its stack
  int64_t numbers;         // of Z, for one image
  int64_t numbers_before;  // of the groups before it
};

/// A few modes that share their row factor: their sums are made together.
struct ModeRun {
  int16_t row, count;
  int16_t k[4], column[4];
};
struct ModeRuns {
  int count;
  ModeRun run[kMaxModes];
};

/// Where Z of a scale begins and how it goes on, in numbers.
struct ScalePlace {
  int64_t begin, image_step;
  int pixel_step;
};

/// Z of `images` images, as kernels see it.
struct ExpandedPlaces {
  ScalePlace scale[kMaxScales];
};

struct ExpandedLayout {
  int group_count, slot_count;
  ScaleGroup groups[kMaxScales];
  int16_t slot_mixing[kMaxSources];  // the matrix that a slot holds
  int64_t image_numbers;             // of Z, all groups

  int64_t depth(const DeviceProblem& p, const ScaleGroup& g) const {
    return int64_t(g.sources) * p.mode_count * p.in_channels;
  }
  ExpandedPlaces places(const DeviceProblem& p, int images) const;
};

ExpandedLayout make_expanded_layout(const DeviceProblem& p);
/// The modes by row factor, at most `most` (up to 4) in a run.
ModeRuns make_mode_runs(const DeviceProblem& p, int most);

}  // namespace scdcf::ops::cuda
