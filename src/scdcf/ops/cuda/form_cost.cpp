#include "scdcf/ops/cuda/form_cost.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "scdcf/core/error.h"
#include "scdcf/ops/cuda/chained/chained.h"
#include "scdcf/ops/cuda/machine/device_limits.h"

namespace scdcf::ops::cuda {
namespace {

constexpr double kCopy = 4.2e9;         // bytes a millisecond
constexpr double kWriting = 0.3;        // of it, that sliding passes reach
constexpr double kSliding = 2.8e9;      // their multiplications with addition a millisecond
constexpr double kGroups = 1.6;         // how much longer products take that are one for each image and group of scales
constexpr double kExpandedCall = 0.06;  // milliseconds of a step however small: kernels, products and the gaps between
constexpr double kStreamedCall = 0.02;  // of a streamed step: operands, slices, the last wave

/// Operations a millisecond of the thin products of the expanded form.
double product_rate(DataType type, Precision precision) {
  if (type == DataType::float64) return 40e9;
  if (type == DataType::bfloat16) return 400e9;
  return precision == Precision::tf32 ? 220e9 : 45e9;
}

/// Pixels of every output scale times its sources.
double source_pixels(const DeviceProblem& p) { return double(p.batch) * p.out_height * p.out_width * p.source_count; }

/// Milliseconds of expand or collect by products.
double product_passes(const DeviceProblem& p, DataType type, bool adjoint) {
  const double columns = 1e-9 * source_pixels(p) * p.in_channels, numbers = columns * p.mode_count;
  const bool half = type == DataType::bfloat16, odd = p.in_channels % (16 / element_size(type)) != 0;
  const double passes = columns * p.row_modes, shared = std::max(p.in_height, p.in_width) > 40 ? passes : 0;  // borders
  double ms =
      adjoint ? (half ? 1.0 * numbers + 1.5 * passes + 2.5 * shared : 1.7 * numbers + 2.3 * passes + 4.0 * shared)
              : (half ? 1.15 * numbers + 0.3 * passes + 1.0 * shared : 1.75 * numbers + 1.6 * passes + 2.0 * shared);
  if (odd) ms *= adjoint ? 1.9 : half ? 9.5 : 5.4;  // number by number
  return p.stride == 1 ? ms : 2 * ms;
}

/// Milliseconds of expand or collect by sliding sums.
double sliding_passes(const DeviceProblem& p, DataType type) {
  const double size = element_size(type), columns = source_pixels(p) * p.in_channels;
  double taps = 0;
  for (int s = 0; s < p.scale_count; ++s)
    taps += double(p.scales[s].source_end - p.scales[s].source_begin) *
            std::min(2 * p.scales[s].radius + 1, p.in_height) / std::max(1, p.source_count);
  const double multiplications = columns * (p.mode_count + 1.3 * p.row_modes) * taps * (size == 8 ? 2 : 1);
  const double few = std::max(1.0, 32 / (p.in_channels * size));  // sectors of memory that are written in parts
  return std::max(few * columns * p.mode_count * size / (kCopy * kWriting), multiplications / kSliding);
}

/// Streamed kernels give a map 14 or 28 lines, whether it has them or not. The rates are those of maps that do, and of
/// smaller ones, which have 8.
double streamed_padding(int lines) {
  if (lines <= 8) return 1;
  return (lines > 14 ? 28.0 : 14.0) / lines;
}

}  // namespace

double expanded_milliseconds(const DeviceProblem& p, DataType type, Precision precision, ExpandedStep step) {
  const double size = element_size(type), numbers = source_pixels(p) * p.in_channels * p.mode_count;  // of Z
  const double maps = double(p.batch) * size *
                      (double(p.scale_count) * p.out_height * p.out_width * p.out_channels +
                       double(p.planes) * p.in_height * p.in_width * p.in_channels);
  const bool sliding = type == DataType::float64 || (type == DataType::float32 && precision == Precision::fp32);
  const double passes = sliding ? sliding_passes(p, type) : product_passes(p, type, step == ExpandedStep::grad_in);
  const double product =
      std::max(2 * numbers * p.out_channels / product_rate(type, precision), (numbers * size + maps) / kCopy);
  return passes + product * (make_expanded_layout(p).group_count > 1 ? kGroups : 1.0) + kExpandedCall;
}

double chained_milliseconds(const DeviceProblem& p, DataType type, Precision precision, ExpandedStep step) {
  // Milliseconds of a million products of the mix with its second pass, and of the first pass, of a thousand items (a
  // tile q, the channels of a team of seven warps, 16 channels of the source), and of a step however small.
  struct Costs {
    double mix, first, item, call;
  };
  const bool half = type == DataType::bfloat16, gradient = step == ExpandedStep::grad_mixing;
  Costs cost = gradient ? (half ? Costs{0.0145, 0.010, 0.0190, 0.025} : Costs{0.0160, 0.020, 0.0240, 0.030})
                        : (half ? Costs{0.0106, 0.022, 0.0110, 0.028} : Costs{0.0094, 0.053, 0.0125, 0.044});
  if (gradient && p.source_count > p.scale_count) cost.item *= 1.3;  // several taps: grad_out is read for each
  double milliseconds = cost.call, parts = 1;
  const auto add = [&](const ChainedTiles& f, int rows, int wide, int wides, int blocks, double items) {
    parts = f.parts;
    for (int s = 0; s < p.scale_count; ++s) {
      const double rounds = double(p.scales[s].source_end - p.scales[s].source_begin) * f.groups * f.first.tiles *
                            f.q_runs * f.chunks * blocks;
      const BlockProducts work = block_products(f, rows, wide, p.scales[s].radius);
      milliseconds += rounds * (1e-6 * (cost.mix * wides * double(work.mix) + cost.first * double(work.first)) +
                                1e-3 * cost.item * items);
    }
  };
  if (gradient) {
    ChainedGradientPlan f;
    if (!plan_chained_gradient(p, type, precision, f)) return std::numeric_limits<double>::infinity();
    add(f, f.position_tiles, f.wide, 1, f.wides * f.mode_groups, f.q_run);
  } else {
    ChainedPlan f;
    if (!plan_chained(p, step == ExpandedStep::forward, type, precision, f))
      return std::numeric_limits<double>::infinity();
    add(f, 2 * f.team_warps, f.wide, f.block_wides, f.wide_blocks, f.items() * f.team_warps / 7.0);
  }
  return milliseconds * (parts == 2 ? 2.5 : 1);  // three products for each
}

double streamed_milliseconds(const DeviceProblem& p, DataType type, ExpandedStep step) {
  const double in = round_up(p.in_channels, 32), out = round_up(p.out_channels, 32);
  const bool wide = std::max(p.in_height, p.in_width) > 28, tall = p.in_height > 14,
             taps = p.source_count > p.scale_count;
  // Several taps: more products for each pass. Many channels: fewer of them padding, more of them at a time.
  double rate = taps ? (tall ? 160e9 : 225e9) : std::min(1.6 * std::sqrt(in * out), 120.0) * 1e9;
  if (!taps && tall) rate *= 0.75;
  if (step == ExpandedStep::grad_in && taps) rate = in > 32 ? 205e9 : tall ? 118e9 : 140e9;
  if (step == ExpandedStep::grad_mixing) rate = taps ? 155e9 : wide || tall ? 0.4 * rate : rate;
  if (step == ExpandedStep::grad_mixing && taps && wide) rate *= 0.4;
  if (type == DataType::bfloat16) rate *= step == ExpandedStep::grad_mixing ? 1.35 : 1.2;
  const double pixels = source_pixels(p) * (step == ExpandedStep::grad_mixing ? 1 : streamed_padding(p.in_height));
  return kStreamedCall + 2 * pixels * p.mode_count * in * out / rate;
}

ForcedForm forced_form() {
  static const ForcedForm form = [] {
    const char* text = std::getenv("SCDCF_CUDA_FORM");
    const std::string name = text == nullptr ? "" : text;
    if (name.empty()) return ForcedForm::none;
    if (name == "streamed") return ForcedForm::streamed;
    if (name == "chained") return ForcedForm::chained;
    require(name == "expanded", "SCDCF_CUDA_FORM: got \"", name, "\", expected streamed, chained or expanded");
    return ForcedForm::expanded;
  }();
  return form;
}

}  // namespace scdcf::ops::cuda
