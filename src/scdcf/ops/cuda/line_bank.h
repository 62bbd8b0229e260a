// One bank of 1-D factors along one axis, cut into tiles of targets.
#pragma once

#include "scdcf/ops/cuda/device_problem.h"

namespace scdcf::ops::cuda {

constexpr int kMaxFactors = 8;  // factors of one kind that the chained kernels hold

struct LineBank {
  LineAxis axis;
  int transposed;   // targets are the axis' inputs (adjoint pass), else its outputs
  int modes;
  int tile, tiles;  // targets per tile

  __host__ __device__ int size() const { return transposed ? axis.in : axis.out; }
  __host__ __device__ LineSpan targets_of(int tile_index) const {
    const int begin = tile_index * tile, left = size() - begin;
    return {begin, left < tile ? left : tile};
  }
  /// Source positions that a tile reads.
  __host__ __device__ LineSpan reach(int radius, int tile_index) const {
    const LineSpan t = targets_of(tile_index);
    const LineOperator op{axis, radius};
    int low, high;
    if (transposed)
      op.outputs_of(t.begin, t.begin + t.count, low, high);
    else
      op.inputs_of(t.begin, t.begin + t.count, low, high);
    return {low, high - low};
  }
  /// Sets the tile; returns the most source positions that a tile reads.
  int set_tile(int targets, int max_radius);
};

/// The row bank or the column bank of a problem.
LineBank make_bank(const DeviceProblem& p, bool row, bool transposed);

}  // namespace scdcf::ops::cuda
