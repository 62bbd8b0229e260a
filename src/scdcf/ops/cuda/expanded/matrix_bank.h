// A bank of 1-D factors as left operands of the tensor cores' products, for the passes of the expanded form.
//
// A pass along an axis is a product with a banded matrix for each factor, targets x sources (line_operator.h). The axis
// is cut into tiles; the matrix of a tile and factor is kept as fragments of 16 targets by `step` sources, 16 bytes a
// lane: [scale][tile][factor][row tile][step][lane]. Steps that lie outside the band of all row tiles that a warp makes
// at a time are neither read nor multiplied.
#pragma once

#include "scdcf/ops/cuda/problem/device_problem.h"

namespace scdcf::ops::cuda {

struct Steps {
  int begin, end;
};

struct MatrixBank {
  LineAxis axis;
  int tiled_inputs;  // tiles are of the axis' inputs, else of its outputs
  int transposed;    // targets are the inputs (the adjoint), else the outputs
  int factors, step;
  int tile, tiles;       // positions of a tile
  int row_tiles, steps;  // of a tile, at most

  __host__ __device__ LineSpan tile_span(int index) const {
    const int begin = index * tile, left = (tiled_inputs ? axis.in : axis.out) - begin;
    return {begin, left < tile ? left : tile};
  }
  __host__ __device__ LineSpan targets_of(int radius, int index) const {
    return tiled_inputs == transposed ? tile_span(index) : reach(radius, tile_span(index), tiled_inputs);
  }
  __host__ __device__ LineSpan sources_of(int radius, int index) const {
    return tiled_inputs == transposed ? reach(radius, tile_span(index), tiled_inputs) : tile_span(index);
  }
  /// Steps, of those of a tile, that sixteen of its targets need.
  __host__ __device__ Steps steps_of(const LineSpan& targets, const LineSpan& sources, int radius, int row_tile) const {
    const int left = targets.count - row_tile * 16;
    if (left <= 0) return {0, 0};
    const LineSpan s = reach(radius, {targets.begin + row_tile * 16, left < 16 ? left : 16}, transposed);
    int low = s.begin - sources.begin, high = low + s.count;
    low = low < 0 ? 0 : low, high = high > sources.count ? sources.count : high;
    if (high <= low) return {0, 0};
    return {low / step, (high + step - 1) / step};
  }
  /// Of a factor, in lanes, and where those of a row tile begin.
  __host__ __device__ int fragments() const { return fragments_of(row_tiles); }
  __host__ __device__ int fragments_of(int row_tile) const { return row_tile * steps * 32; }
  __host__ __device__ int64_t at(int scale, int index, int factor) const {
    return ((int64_t(scale) * tiles + index) * factors + factor) * fragments();
  }
  int64_t bytes(int scales) const { return at(scales, 0, 0) * 16; }

 private:
  __host__ __device__ LineSpan reach(int radius, const LineSpan& of, bool of_inputs) const {
    const LineOperator op{axis, radius};
    int low, high;
    if (of_inputs)
      op.outputs_of(of.begin, of.begin + of.count, low, high);
    else
      op.inputs_of(of.begin, of.begin + of.count, low, high);
    return {low, high - low};
  }
};

/// The row or the column bank in tiles of `tile` positions, for operands of the given type.
MatrixBank make_matrix_bank(const DeviceProblem& p, bool row, bool tiled_inputs, bool transposed, int tile,
                            DataType type);
void build_matrix_bank(const DeviceProblem& p, const MatrixBank& bank, bool row, const float* factors, uint4* fragments,
                       cudaStream_t stream);

}  // namespace scdcf::ops::cuda
