// expand and collect (expand.h) with passes that are products on tensor cores: TF32 and bfloat16, sm_80 and up.
//
// expand. A block has one image, scale and source, a tile of output pixels and a slab of channels. It brings the input
// that the tile needs to shared memory; then for each row factor b, while the others' columns go out to memory:
//
//   input [u][v,c]  --row factor b-->  lines [v][x,c]  --column factors a of all modes (a, b)-->  Z[y][x][k][c]
//
// collect. A block has one image and plane, a tile of its lines and a slab of channels, and goes over the columns x of
// Z in tiles; for every scale and source that reads the plane, and every row factor b, straight from global memory:
//
//   Z [y][x,c] of all modes (a, b)  --column factors a-->  lines [x][i,c]  --row factor b-->  sums [j][i,c]
//
// sums is a window of columns j that moves on with x: what no later x reaches is written and leaves. Lines are kept
// twice, so that one factor's first pass runs beside another's second. Every number is added in a fixed order.
#pragma once

#include "scdcf/ops/cuda/expanded_layout.h"
#include "scdcf/ops/cuda/matrix_bank.h"

namespace scdcf::ops::cuda {

constexpr int kMatrixThreads = 256;
constexpr int kMostRowTiles = 4;  // of a tile of collect's lines

struct MatrixTile {
  int lines, columns, channels;  // expand: output pixels; collect: lines of the input, columns of Z
  int line_tiles, column_tiles, slabs;
  int wide;  // channels come in whole 16 bytes
  MatrixBank row, column;
  int first_pitch, lines_pitch;     // expand: of the input; collect: of sums
  int window, most_radius;          // collect: columns of sums; the largest radius
  int first, lines_at, lines_size;  // bytes into shared memory; bytes of one of the two tiles of lines
  int shared_bytes;

  int64_t blocks_of_map() const { return int64_t(line_tiles) * (window ? 1 : column_tiles) * slabs; }
  size_t row_bytes(int scales) const { return aligned(row.bytes(scales)); }
  size_t column_bytes(int scales) const { return aligned(column.bytes(scales)); }
};

/// The modes by row factor: those of factor b are begin[b] .. begin[b + 1] - 1.
struct ModesByRow {
  int16_t k[kMaxModes], column[kMaxModes], begin[kMaxModes + 1];
};
ModesByRow modes_by_row(const DeviceProblem& p);

/// false: no tile fits, or the types have other passes.
bool plan_matrix_expand(const DeviceProblem& p, DataType type, MatrixTile& tile);
bool plan_matrix_collect(const DeviceProblem& p, DataType type, MatrixTile& tile);

/// As expand and collect of expand.h; row and column: the fragments of the tile's banks.
void matrix_expand(const DeviceProblem& p, const MatrixTile& tile, const ExpandedPlaces& places, const void* in,
                   const uint4* row, const uint4* column, void* expanded, int first_image, int images, DataType type,
                   cudaStream_t stream);
void matrix_collect(const DeviceProblem& p, const MatrixTile& tile, const ExpandedPlaces& places, const void* expanded,
                    const uint4* row, const uint4* column, void* grad_in, int first_image, int images, DataType type,
                    cudaStream_t stream);

}  // namespace scdcf::ops::cuda
