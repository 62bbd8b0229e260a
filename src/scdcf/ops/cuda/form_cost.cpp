#include "scdcf/ops/cuda/form_cost.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "scdcf/core/error.h"
#include "scdcf/ops/cuda/device_limits.h"

namespace scdcf::ops::cuda {
namespace {

constexpr double kCopy = 4.2e9;         // bytes a millisecond
constexpr double kWriting = 0.3;        // of it, that expand and collect reach
constexpr double kPassRate = 2.8e9;     // multiplications with addition a millisecond, of expand and collect
constexpr double kExpandedCall = 0.15;  // milliseconds of a step however small: kernels, products and the gaps between
constexpr double kFamilyCall = 0.06;    // of a family's step: operands, slices, the last wave

/// Operations a millisecond of the thin products of the expanded form.
double product_rate(DataType type, Precision precision) {
  if (type == DataType::float64) return 40e9;
  if (type == DataType::bfloat16) return 400e9;
  return precision == Precision::tf32 ? 220e9 : 45e9;
}

/// Operations a millisecond of a family, channels padded. Narrow layers leave the tensor cores waiting for the passes.
double family_rate(const DeviceProblem& p, DataType type, Precision precision, FamilyKind kind) {
  const bool odd = p.in_channels % 4 || p.out_channels % 4;  // read number by number
  const bool wide = !odd && p.in_channels >= 64 && p.out_channels >= 64;
  if (type == DataType::float32 && precision == Precision::fp32) return wide ? 26e9 : 18e9;
  if (kind == FamilyKind::streamed) return wide ? 100e9 : 55e9;
  const double more = type == DataType::bfloat16 ? 1.2 : 1.0;
  return more * (wide ? 60e9 : 38e9);
}

/// Pixels of every output scale times its sources.
double source_pixels(const DeviceProblem& p) { return double(p.batch) * p.out_height * p.out_width * p.source_count; }

}  // namespace

double expanded_milliseconds(const DeviceProblem& p, DataType type, Precision precision) {
  const double size = element_size(type);
  const double columns = source_pixels(p) * p.in_channels, numbers = columns * p.mode_count;  // of Z
  const double maps = double(p.batch) * size *
                      (double(p.scale_count) * p.out_height * p.out_width * p.out_channels +
                       double(p.planes) * p.in_height * p.in_width * p.in_channels);
  double taps = 0;
  for (int s = 0; s < p.scale_count; ++s)
    taps += double(p.scales[s].source_end - p.scales[s].source_begin) *
            std::min(2 * p.scales[s].radius + 1, p.in_height) / std::max(1, p.source_count);
  const double multiplications = columns * (p.mode_count + 1.3 * p.row_modes) * taps * (size == 8 ? 2 : 1);
  const double few = std::max(1.0, 32 / (p.in_channels * size));  // sectors of memory that are written in parts
  const double passes = std::max(few * numbers * size / (kCopy * kWriting), multiplications / kPassRate);
  const double product =
      std::max(2 * numbers * p.out_channels / product_rate(type, precision), (numbers * size + maps) / kCopy);
  return passes + product + kExpandedCall;
}

double family_milliseconds(const DeviceProblem& p, DataType type, Precision precision, FamilyKind kind) {
  const double in = round_up(p.in_channels, 32), out = round_up(p.out_channels, 32);
  return kFamilyCall + 2 * source_pixels(p) * p.mode_count * in * out / family_rate(p, type, precision, kind);
}

ForcedForm forced_form() {
  static const ForcedForm form = [] {
    const char* text = std::getenv("SCDCF_CUDA_FORM");
    const std::string name = text == nullptr ? "" : text;
    require(name.empty() || name == "expanded" || name == "families", "SCDCF_CUDA_FORM: got \"", name,
            "\", expected expanded or families");
    return name == "expanded" ? ForcedForm::expanded : name == "families" ? ForcedForm::families : ForcedForm::none;
  }();
  return form;
}

bool takes_expanded(const DeviceProblem& p, DataType type, Precision precision, FamilyKind kind) {
  if (forced_form() != ForcedForm::none) return forced_form() == ForcedForm::expanded;
  return expanded_milliseconds(p, type, precision) < family_milliseconds(p, type, precision, kind);
}

}  // namespace scdcf::ops::cuda
