// One bank of 1-D factors as tensor-core fragments in global memory, one set per (scale, tile of targets, group of
// modes).
//
// A line pass is a small matrix product per line; the fragments are its left operand, 16 bytes per lane:
// [row tile][step][lane]. Modes are stacked along the rows (first pass: one result per mode) or along the columns
// (second pass: one sum over the modes). Blocks read the fragments through the L1 cache, so they take no shared memory.
#pragma once

#include "scdcf/ops/cuda/device_problem.h"

namespace scdcf::ops::cuda {

constexpr int kMaxFactors = 8;  // factors of one kind that the kernels which keep them on chip hold
constexpr int kChunk = 32;      // channels of a line pass

struct LineBank {
  LineAxis axis;
  int transposed;            // targets are the axis' inputs (adjoint pass), else its outputs
  int sum_modes;             // modes stacked along the columns
  int modes, group, groups;  // modes in all, per fragment set, and sets
  int tile, tiles;           // targets per tile
  int own_tiles;             // every mode has a row tile of its own, else modes follow each other along the rows
  int depth;                 // steps of 8 source positions that a tile reads at most

  __host__ __device__ int size() const { return transposed ? axis.in : axis.out; }
  __host__ __device__ int row_tiles() const {
    return own_tiles ? group : round_up(sum_modes ? tile : group * tile, 16) / 16;
  }
  __host__ __device__ int steps() const { return sum_modes ? group * depth : depth; }
  __host__ __device__ int fragments() const { return row_tiles() * steps() * 32; }
  __host__ __device__ int64_t at(int scale, int tile_index, int mode_group) const {
    return ((int64_t(scale) * tiles + tile_index) * groups + mode_group) * fragments();
  }
  int64_t bytes(int scales) const { return at(scales, 0, 0) * 16; }

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
  /// Sets the tile and what follows from it; returns the most source positions that a tile reads.
  int set_tile(int targets, int max_radius);
};

/// The row bank or the column bank of a problem, with its modes in groups of at most `group`.
LineBank make_bank(const DeviceProblem& p, bool row, bool transposed, bool sum_modes, int group);
void build_bank(const DeviceProblem& p, const LineBank& bank, bool row, const float* factors, float4* fragments,
                cudaStream_t stream);

}  // namespace scdcf::ops::cuda
