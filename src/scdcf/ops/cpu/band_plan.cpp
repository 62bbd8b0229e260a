#include "scdcf/ops/cpu/band_plan.h"

#include <algorithm>

namespace scdcf::ops::cpu::detail {
namespace {

int64_t clamp(int64_t value, int64_t low, int64_t high) { return std::min(std::max(value, low), high); }

/// The matrix or its transpose, so that forward and adjoint bands come from the same code.
struct Oriented {
  const Stencil& stencil;
  bool adjoint;

  int64_t rows() const { return adjoint ? stencil.inputs : stencil.outputs; }
  int32_t first(int64_t row) const { return adjoint ? stencil.adjoint_first[row] : stencil.first[row]; }
  int32_t last(int64_t row) const { return adjoint ? stencil.adjoint_last[row] : stencil.last[row]; }
  double at(int64_t mode, int64_t row, int64_t column) const {
    return adjoint ? stencil.at(mode, column, row) : stencil.at(mode, row, column);
  }
};

}  // namespace

template <class T>
Stencil make_stencil(const SeparableProblem& problem, int64_t inputs, int64_t outputs, int64_t radius, const T* factors,
                     int64_t modes) {
  Stencil result;
  result.inputs = inputs;
  result.outputs = outputs;
  result.modes = modes;
  const int64_t taps = 2 * radius + 1;
  result.width = std::min(taps, inputs);
  result.first.resize(outputs);
  result.last.resize(outputs);
  result.weight.assign(modes * outputs * result.width, 0.0);
  const bool replicate = problem.padding == PadMode::replicate;
  for (int64_t o = 0; o < outputs; ++o) {
    const int64_t begin = o * problem.stride + problem.origin - radius;
    // Both ends are clamped monotonically, so ranges of blocks are the first's begin and the last's end.
    const int64_t first = replicate ? clamp(begin, 0, inputs - 1) : clamp(begin, 0, inputs);
    const int64_t last = replicate ? clamp(begin + taps - 1, 0, inputs - 1) + 1 : clamp(begin + taps, 0, inputs);
    result.first[o] = static_cast<int32_t>(first);
    result.last[o] = static_cast<int32_t>(last);
    for (int64_t m = 0; m < modes; ++m) {
      double* weight = result.weight.data() + (m * outputs + o) * result.width;
      for (int64_t d = 0; d < taps; ++d) {
        const int64_t input = begin + d;
        if (!replicate && (input < 0 || input >= inputs)) continue;
        weight[clamp(input, 0, inputs - 1) - first] += factors[m * taps + d];
      }
    }
  }
  result.adjoint_first.resize(inputs);
  result.adjoint_last.resize(inputs);
  for (int64_t i = 0, begin = 0, end = 0; i < inputs; ++i) {
    while (begin < outputs && result.last[begin] <= i) ++begin;
    while (end < outputs && result.first[end] <= i) ++end;
    result.adjoint_first[i] = static_cast<int32_t>(begin);
    result.adjoint_last[i] = static_cast<int32_t>(std::max(begin, end));
  }
  return result;
}

template <class T>
Band<T> expanding_band(const Stencil& stencil, bool adjoint, const std::vector<int32_t>& modes,
                       const std::vector<int32_t>& slots) {
  const Oriented matrix{stencil, adjoint};
  const int32_t count = static_cast<int32_t>(modes.size());
  Band<T> band;
  band.slots = slots;
  band.tiles_per_position = (count + kBandRows - 1) / kBandRows;
  band.tiles.reserve(matrix.rows() * band.tiles_per_position);
  int64_t size = 0;
  for (int64_t row = 0; row < matrix.rows(); ++row) {
    const int32_t first = matrix.first(row), last = std::max(first, matrix.last(row));
    for (int32_t t = 0; t < band.tiles_per_position; ++t) {
      const int32_t begin = count * t / band.tiles_per_position, end = count * (t + 1) / band.tiles_per_position;
      band.tiles.push_back({static_cast<int32_t>(row), begin, end - begin, first, last - first, size});
      size += int64_t{last - first} * (end - begin);
    }
  }
  band.coefficients.resize(size);
  for (const BandTile& tile : band.tiles) {
    for (int32_t r = 0; r < tile.rows; ++r) {
      T* target = band.coefficients.data() + tile.coefficients + r;
      for (int32_t i = 0; i < tile.length; ++i) {
        target[i * tile.rows] = static_cast<T>(matrix.at(modes[tile.mode + r], tile.position, tile.first + i));
      }
    }
  }
  return band;
}

template <class T>
Band<T> contracting_band(const Stencil& stencil, bool adjoint) {
  const Oriented matrix{stencil, adjoint};
  Band<T> band;
  band.slots = {0};
  band.in_modes = static_cast<int32_t>(stencil.modes);
  int64_t size = 0;
  for (int64_t row = 0; row < matrix.rows(); ++row) {
    const int32_t first = matrix.first(row), last = std::max(first, matrix.last(row));
    band.tiles.push_back({static_cast<int32_t>(row), 0, 1, first, last - first, size});
    size += stencil.modes * (last - first);
  }
  band.coefficients.resize(size);
  for (const BandTile& tile : band.tiles) {
    T* target = band.coefficients.data() + tile.coefficients;
    for (int64_t m = 0; m < stencil.modes; ++m) {
      for (int32_t i = 0; i < tile.length; ++i) {
        *target++ = static_cast<T>(matrix.at(m, tile.position, tile.first + i));
      }
    }
  }
  return band;
}

template Stencil make_stencil(const SeparableProblem&, int64_t, int64_t, int64_t, const float*, int64_t);
template Stencil make_stencil(const SeparableProblem&, int64_t, int64_t, int64_t, const double*, int64_t);
template Band<float> expanding_band(const Stencil&, bool, const std::vector<int32_t>&, const std::vector<int32_t>&);
template Band<double> expanding_band(const Stencil&, bool, const std::vector<int32_t>&, const std::vector<int32_t>&);
template Band<float> contracting_band(const Stencil&, bool);
template Band<double> contracting_band(const Stencil&, bool);

}  // namespace scdcf::ops::cpu::detail
