// The separable joint convolution as plain numbers: what a kernel needs to know, and nothing of torch.
//
// For every image n, output scale s, output pixel (y, x) and output channel o,
//
//   out[n,s,y,x,o] = sum over sources j of scale s, modes k, input channels c of
//                      mixing[mixing_j][k][c][o] * Z[n, plane_j, s, k, y, x, c],
//   Z[...]         = sum over dy, dx of  col_s[a_k][dy] * row_s[b_k][dx]
//                      * in[n, plane_j, y*stride + origin + dy - r_s, x*stride + origin + dx - r_s, c],
//
// with dy, dx = 0 .. 2 r_s. A coordinate outside the input reads zero (PadMode::zero) or the nearest pixel
// (PadMode::replicate); with PadMode::none the origin keeps every read inside.
// All tensors are dense: in [N][planes][H][W][C], out [N][scales][H'][W'][O], mixing [count][K][C][O].
//
// The exact algorithm (three steps, the second a matrix product) is derived in docs/algorithm.md.
#pragma once

#include <cstdint>
#include <vector>

namespace scdcf::ops {

enum class PadMode : int32_t { zero = 0, replicate = 1, none = 2 };

/// One input plane that an output scale reads, and the mixing matrix applied to it. Taps that fall on the same
/// plane (replicate padding in scale) are merged: their coefficients are added before the kernel sees them.
struct Source {
  int32_t plane;
  int32_t mixing;
};

/// One output scale: its 1-D factors (2*radius+1 taps each) and the sources it reads.
struct ScaleEntry {
  int32_t radius;
  int32_t column_offset;  // into the factor array: column factors [column_modes][2*radius+1], applied along y
  int32_t row_offset;     // into the factor array: row factors [row_modes][2*radius+1], applied along x
  int32_t source_begin;   // into sources: [source_begin, source_end)
  int32_t source_end;
};

/// A spatial mode k is the product of column factor `column` (a_k) and row factor `row` (b_k).
struct ModePair {
  int32_t column;
  int32_t row;
};

struct SeparableProblem {
  int64_t batch = 0, planes = 0, in_channels = 0, out_channels = 0;
  int64_t in_height = 0, in_width = 0, out_height = 0, out_width = 0;
  int64_t stride = 1;  // 1 or 2
  int64_t origin = 0;  // input coordinate of output pixel 0: 0, or the largest radius with PadMode::none
  PadMode padding = PadMode::zero;
  int64_t column_modes = 0, row_modes = 0;  // number of 1-D factors of each kind
  int64_t mixings = 0;                      // number of mixing matrices
  std::vector<ModePair> modes;              // K pairs, each (column, row) at most once, in any order
  std::vector<ScaleEntry> scales;           // one per output scale
  std::vector<Source> sources;
  int64_t factor_count = 0;  // length of the factor array (float or double, as the data)
};

}  // namespace scdcf::ops
