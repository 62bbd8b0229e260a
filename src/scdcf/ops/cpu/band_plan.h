// A 1-D pass (row or column, forward or adjoint) as a banded matrix, padding and stride folded in.
//
// forward:  weight[m][o][i] = sum of factor_m[d] over the taps d that read input i for output o,
// so zero and replicate padding, stride 2 and radii beyond the image need no special case in the kernels.
// The matrix is stored in tiles of up to kBandRows rows: all rows of a tile are modes at one position, so that they
// share its band and no weight is a zero that was put there to fill up. (Zero times NaN would leave the receptive
// field.)
#pragma once

#include <cstdint>
#include <vector>

#include "scdcf/ops/separable_problem.h"

namespace scdcf::ops::cpu::detail {

constexpr int kBandRows = 4;

/// Rows of a tile are consecutive output modes. Coefficients are [input mode][position first .. first+length)[row].
struct BandTile {
  int32_t position, mode, rows, first, length;
  int64_t coefficients;
};

/// What the kernels see: raw pointers only, so that no std:: template is instantiated in a wide-ISA file.
template <class T>
struct BandView {
  const BandTile* tiles;
  const T* coefficients;
  const int32_t* slots;  // output mode -> slot in the target
  int32_t in_modes, out_modes;
  int32_t tiles_per_position;
};

template <class T>
struct Band {
  std::vector<BandTile> tiles;
  std::vector<T> coefficients;
  std::vector<int32_t> slots;
  int32_t in_modes = 1, tiles_per_position = 1;

  BandView<T> view() const {
    return {tiles.data(),      coefficients.data(), slots.data(), in_modes, static_cast<int32_t>(slots.size()),
            tiles_per_position};
  }
};

/// One axis of one scale: for each output its input range [first, last), for each input its output range, the weights.
struct Stencil {
  int64_t outputs = 0, inputs = 0, modes = 0, width = 0;
  std::vector<int32_t> first, last;                  // per output; both non-decreasing
  std::vector<int32_t> adjoint_first, adjoint_last;  // per input; both non-decreasing
  std::vector<double> weight;                        // [mode][output][width], starting at first[output]

  double at(int64_t mode, int64_t output, int64_t input) const {
    const int64_t offset = input - first[output];
    return offset < 0 || input >= last[output] ? 0.0 : weight[(mode * outputs + output) * width + offset];
  }
};

template <class T>
Stencil make_stencil(const SeparableProblem& problem, int64_t inputs, int64_t outputs, int64_t radius, const T* factors,
                     int64_t modes);

/// Each output (or, adjoint, each input) position gets one row for every mode listed; slots[i] is where it goes.
template <class T>
Band<T> expanding_band(const Stencil& stencil, bool adjoint, const std::vector<int32_t>& modes,
                       const std::vector<int32_t>& slots);

/// Each output (or, adjoint, each input) position gets one row, summed over all modes.
template <class T>
Band<T> contracting_band(const Stencil& stencil, bool adjoint);

}  // namespace scdcf::ops::cpu::detail
