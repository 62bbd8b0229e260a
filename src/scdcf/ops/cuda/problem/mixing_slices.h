// The gradients of all mixing matrices as slices of work: which planes and scales a matrix joins, and which blocks
// share their pixels. A second kernel adds the slices of a matrix in a fixed order.
#pragma once

#include "scdcf/ops/cuda/problem/device_problem.h"

namespace scdcf::ops::cuda {

struct GradientPair {
  int16_t plane, scale;
};

/// Units [begin, end) of the pairs from pair0 on.
struct SlicePart {
  int pair0, begin, end;
};

struct MixingSlices {
  int mixings, slices;
  int16_t pair_begin[kMaxMixings + 1], slice_begin[kMaxMixings + 1];
  GradientPair pairs[kMaxSources];

  void fill_pairs(const DeviceProblem& p);
  /// As many slices as fill `blocks` places once, `tiles` blocks for each; each mixing matrix gets its share.
  void fill_slices(int tiles, int64_t units_per_pair, int blocks);

  __host__ __device__ SlicePart part(int slice, int units_per_pair) const {
    int mixing = 0;
    while (slice_begin[mixing + 1] <= slice) ++mixing;
    const int pair0 = pair_begin[mixing], count = slice_begin[mixing + 1] - slice_begin[mixing],
              mine = slice - slice_begin[mixing];
    const int64_t units = int64_t(units_per_pair) * (pair_begin[mixing + 1] - pair0);
    return {pair0, int(units * mine / count), int(units * (mine + 1) / count)};
  }
};

}  // namespace scdcf::ops::cuda
