// expand: both 1-D passes of the input, Z of separable_problem.h; collect: its adjoint, from Z to the input's maps.
//
// expand. A block has one image, scale and source, a tile of output pixels and a slab of channels. It reads the input
// that the tile needs into shared memory; then, a few row factors at a time: the row pass, from shared memory to shared
// memory, and the column passes of all modes with these row factors, to global memory.
//
//   input [line][column][c]  --row factors b-->  lines [b][line][x][c]  --column factors a-->  Z[y][x][k][c]
//
// collect. A block has one image and plane, a tile of its pixels and a slab of channels, and sums over all that was
// made of them: for every scale and source that reads the plane, and for a few modes with the same row factor at a
// time, the part of Z that the tile was read for goes to shared memory, then the same way back, into sums in shared
// memory.
//
//   Z [mode][y][x][c]  --column factors a-->  lines [i][x][c]  --row factor b-->  sums [i][j][c]
//
// Each number is written by one thread, which adds in a fixed order. For float32 and double; TF32 and bfloat16 have the
// passes of matrix_passes.h.
#pragma once

#include "scdcf/ops/cuda/expanded/expanded_layout.h"

namespace scdcf::ops::cuda {

constexpr int kExpandThreads = 256;

/// The tile of a block; targets are the output pixels of expand, the input pixels of collect, and sources what they are
/// made of.
struct ExpandTile {
  int per_thread;                // targets along a line that a thread makes at a time: 4, 7, collect: or 14
  int lines, columns, channels;  // targets, and channels of a slab
  int line_tiles, column_tiles, slabs;
  int source_lines, source_columns;                  // at most; expand: columns so that neighbours lie in other banks
  int together;                                      // expand: row factors at a time; collect: modes at a time
  int first_weights, second_weights, first, second;  // bytes into shared memory; see lay_out
  int shared_bytes;

  int64_t blocks_of_map() const { return int64_t(line_tiles) * column_tiles * slabs; }
};

/// Throws an Error where not even the smallest tile fits (radii of hundreds of pixels in double).
ExpandTile plan_expand(const DeviceProblem& p, DataType type);
ExpandTile plan_collect(const DeviceProblem& p, DataType type);

/// Z of images [first_image, first_image + images), all of `in`, whose layout is `places`.
void expand(const DeviceProblem& p, const ExpandTile& tile, const ExpandedPlaces& places, const void* in,
            const void* factors, void* expanded, int first_image, int images, DataType type, cudaStream_t stream);
/// Overwrites these images of grad_in.
void collect(const DeviceProblem& p, const ExpandTile& tile, const ExpandedPlaces& places, const void* expanded,
             const void* factors, void* grad_in, int first_image, int images, DataType type, cudaStream_t stream);

}  // namespace scdcf::ops::cuda
