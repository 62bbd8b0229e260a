#include "scdcf/ops/cpu/form.h"

#include <algorithm>

#include "scdcf/ops/cpu/tiling.h"

namespace scdcf::ops::cpu::detail {
namespace {

/// Measured: multiply-adds that one number costs on its way between a tensor and vectors across images; what one of
/// theirs costs against one of the blocked form, which reads its operands in order; and what when they miss the cache.
constexpr double kTurn = 4, kLaneCost = 1.15, kOutOfCache = 1.2;

struct Costs {
  double row, column, modes, sources, in, out, padded_in, padded_out;

  double blocked(Wanted wanted) const {
    const double product = wanted.product ? sources * (modes * in * padded_out + row * padded_in) : 0;
    const double grad_in = wanted.grad_in ? sources * (modes * out * padded_in + row * padded_in) : 0;
    return product + grad_in + column * padded_out;
  }
  double lanes(Wanted wanted) const {
    const double once = sources * (modes * in * out + (row + kTurn) * in);
    return (wanted.product ? once : 0) + (wanted.grad_in ? once : 0) + (column + kTurn) * out;
  }
  double thin(double column_taps) const {
    return sources * ((row + kTurn + modes * column_taps) * in + modes * in * padded_out);
  }
};

}  // namespace

LaneLayout lane_layout(const SeparableProblem& problem, int64_t lanes) {
  const int64_t pixel =
      4 * lanes * (problem.row_modes * problem.in_channels + problem.column_modes * problem.out_channels);
  LaneLayout best;
  best.waste = 1e9;
  for (int64_t strips = 1; strips <= std::min(lanes, problem.out_width); ++strips) {
    const int64_t groups = ceil_div(problem.batch, std::min(lanes / strips, problem.batch));
    const int64_t width = ceil_div(problem.out_width, strips);
    const double columns = static_cast<double>(groups * lanes) * static_cast<double>(width);
    const double slow = width * pixel > kTileBytes ? kOutOfCache : 1;  // the backward keeps whole rows of a strip
    const double waste = slow * columns / static_cast<double>(problem.batch * problem.out_width);
    if (waste < best.waste) best = {ceil_div(problem.batch, groups), strips, width, waste};
  }
  return best;
}

Form choose_form(const SeparableProblem& problem, Wanted wanted, int64_t lanes) {
  double taps = 0;
  for (const ScaleEntry& entry : problem.scales) taps += static_cast<double>(2 * entry.radius + 1);
  const auto scales = static_cast<double>(problem.scales.size());
  taps /= scales;
  const Costs costs{static_cast<double>(problem.row_modes) * taps,
                    static_cast<double>(problem.column_modes) * taps,
                    static_cast<double>(problem.modes.size()),
                    static_cast<double>(problem.sources.size()) / scales,
                    static_cast<double>(problem.in_channels),
                    static_cast<double>(problem.out_channels),
                    static_cast<double>(ceil_div(problem.in_channels, lanes) * lanes),
                    static_cast<double>(ceil_div(problem.out_channels, lanes) * lanes)};
  const double waste = kLaneCost * lane_layout(problem, lanes).waste;
  const double blocked = costs.blocked(wanted), in_lanes = waste * costs.lanes(wanted);
  const bool few = problem.in_channels < lanes && wanted.product;
  const Wanted rest{false, wanted.grad_in};  // what the thin form leaves to another
  const double others = wanted.grad_in ? std::min(costs.blocked(rest), waste * costs.lanes(rest)) : 0;
  if (few && waste * costs.thin(taps) + others <= std::min(blocked, in_lanes)) return Form::thin;
  return in_lanes < blocked ? Form::lanes : Form::blocked;
}

}  // namespace scdcf::ops::cpu::detail
