// One bank of 1-D factors, cut into tiles of targets: what each tile reads, and its fragments for tensor cores, one set
// for each (scale, tile of targets, group of modes).
//
// A line pass is a small matrix product for each line; the fragments are its left operand of 16-bit numbers, 16 bytes a
// lane: [row tile][step of 16 sources][lane]. Modes are stacked along the rows. (As right operand, sources by eight
// targets, words 0 and 2 of a fragment are those of its first eight rows, 1 and 3 of the others.)
#pragma once

#include "scdcf/ops/cuda/problem/device_problem.h"

namespace scdcf::ops::cuda {

constexpr int kMaxFactors = 8;  // factors of one kind that the kernels which keep them on chip hold
constexpr int kChunk = 32;      // channels of a line pass

struct LineBank {
  LineAxis axis;
  int transposed;            // targets are the axis' inputs (adjoint pass), else its outputs
  int modes, group, groups;  // modes in all, per fragment set, and sets
  int tile, tiles;           // targets per tile
  int own_tiles;             // every mode has a row tile of its own, else modes follow each other along the rows
  int depth;                 // steps of 8 source positions that a tile reads at most

  __host__ __device__ int size() const { return transposed ? axis.in : axis.out; }
  __host__ __device__ int row_tiles() const { return own_tiles ? group : round_up(group * tile, 16) / 16; }
  __host__ __device__ int steps() const { return (depth + 1) / 2; }
  __host__ __device__ int fragments() const { return row_tiles() * steps() * 32; }
  __host__ __device__ int64_t at(int scale, int tile_index, int mode_group) const {
    return ((int64_t(scale) * tiles + tile_index) * groups + mode_group) * fragments();
  }
  int64_t words(int scales) const { return at(scales, 0, 0); }
  int64_t bytes(int scales) const { return words(scales) * 16; }

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
  /// The weight of source `source` for target `target` of a tile; zero where one of them does not exist.
  __host__ __device__ float weight(const float* taps, int radius, int tile_index, int target, int source) const {
    const LineSpan targets = targets_of(tile_index), sources = reach(radius, tile_index);
    if (target >= targets.count || source < 0 || source >= sources.count) return 0;
    const LineOperator op{axis, radius};
    return transposed ? op.weight(taps, sources.begin + source, targets.begin + target)
                      : op.weight(taps, targets.begin + target, sources.begin + source);
  }
  /// Sets the tile and what follows from it; returns the most source positions that a tile reads.
  int set_tile(int targets, int max_radius);
};

/// The row bank or the column bank of a problem, with its modes in groups of at most `group`.
LineBank make_bank(const DeviceProblem& p, bool row, bool transposed, int group);

/// Where the factors of each scale are.
struct FactorPlaces {
  int radius[kMaxScales], offset[kMaxScales];
};
FactorPlaces factor_places(const DeviceProblem& p, bool row);

}  // namespace scdcf::ops::cuda
