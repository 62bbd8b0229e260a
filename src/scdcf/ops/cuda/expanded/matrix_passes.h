// expand and collect (expand.h) with passes that are products on tensor cores: TF32 and bfloat16, sm_80 and up.
//
// expand. A block has one image, scale and source, a tile of output pixels and a slab of channels. It brings the input
// that the tile needs to shared memory; then for each row factor b, while the others' columns go out to memory:
//
//   input [u][v,c]  --row factor b-->  lines [v][x,c]  --column factors a of all modes (a, b)-->  Z[y][x][k][c]
//
// Lines are kept twice, so that one factor's first pass runs beside another's second.
//
// collect. A block has one image and plane, a tile of its lines and a slab of channels, and goes over the columns x of
// Z in tiles; for every scale and source that reads the plane, and a few row factors b at a time, straight from memory:
//
//   Z [y][x,c] of all modes (a, b)  --column factors a-->  lines [b][x][i,c]  --row factors b-->  sums [j][i,c]
//
// sums is a window of columns j that moves on with x: what no later x reaches is written and leaves. Every number is
// added in a fixed order.
#pragma once

#include "scdcf/ops/cuda/expanded/expanded_layout.h"
#include "scdcf/ops/cuda/expanded/matrix_bank.h"

namespace scdcf::ops::cuda {

constexpr int kMatrixThreads = 256;
constexpr int kMostRowTiles = 2;  // of a tile of collect's lines

struct MatrixTile {
  int lines, columns, channels;  // expand: output pixels; collect: lines of the input, columns of Z
  int line_tiles, column_tiles, slabs;
  int together;          // tiles of lines in shared memory; collect: row factors at a time
  int wide;              // channels come in whole 16 bytes
  uint32_t by_channels;  // 2^31 / channels, and a little more: a multiplication instead of a division
  MatrixBank row, column;
  int first_pitch, lines_pitch;  // expand: of the input; collect: of sums
  int window, most_radius;       // collect: columns of sums; the largest radius
  int first, lines_at;           // bytes into shared memory
  int lines_size;                // bytes of the lines of one row factor
  int shared_bytes;

  int64_t blocks_of_map() const { return int64_t(line_tiles) * (window ? 1 : column_tiles) * slabs; }
  size_t row_bytes(int scales) const { return aligned(row.bytes(scales)); }
  size_t column_bytes(int scales) const { return aligned(column.bytes(scales)); }
};

/// The modes by row factor. Row factors without modes are left out: factor f is row[f], its modes begin[f] ..
/// begin[f + 1] - 1.
struct ModesByRow {
  int count;  // of factors
  int16_t row[kMaxModes], begin[kMaxModes + 1], k[kMaxModes], column[kMaxModes];
};
ModesByRow modes_by_row(const DeviceProblem& p);

/// Throws an Error where not even the smallest tile fits (radii of about a hundred pixels).
MatrixTile plan_matrix_expand(const DeviceProblem& p, DataType type);
MatrixTile plan_matrix_collect(const DeviceProblem& p, DataType type);

/// As expand and collect of expand.h; row and column: the fragments of the tile's banks.
void matrix_expand(const DeviceProblem& p, const MatrixTile& tile, const ExpandedPlaces& places, const void* in,
                   const uint4* row, const uint4* column, void* expanded, int first_image, int images, DataType type,
                   cudaStream_t stream);
void matrix_collect(const DeviceProblem& p, const MatrixTile& tile, const ExpandedPlaces& places, const void* expanded,
                    const uint4* row, const uint4* column, void* grad_in, int first_image, int images, DataType type,
                    cudaStream_t stream);

}  // namespace scdcf::ops::cuda
