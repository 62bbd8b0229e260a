// Which form a step takes: the expanded one (expanded.h) or a kernel family that keeps Z on chip
// (separable_kernel.cpp).
//
// The expanded form is bound by memory or by its products, and both are counted:
//
//   expand, collect   the larger of Z's bytes over the speed of a copy and the passes' multiplications over their rate
//   product           the larger of its operations over a share of the rate of a large square product, and its bytes
//                     over the speed of a copy
//
// A family's time is that of its products with channels padded to the tiles it works in, at a measured rate. All
// constants are fitted to `scdcf bench --group shapes` in both forms on an H200: over its table the form chosen takes
// at most 1.4 times the better one's time, where launches do not hide it. On another card the same ratios decide.
#pragma once

#include "scdcf/ops/cuda/expanded.h"

namespace scdcf::ops::cuda {

/// The families as the model tells them apart.
enum class FamilyKind { streamed, tiled };

/// Of one step: forward, gradient of the input, or gradient of the mixing.
double expanded_milliseconds(const DeviceProblem& p, DataType type, Precision precision);
double family_milliseconds(const DeviceProblem& p, DataType type, Precision precision, FamilyKind kind);

enum class ForcedForm { none, expanded, families };

/// What the environment variable SCDCF_CUDA_FORM says, read once: "expanded" or "families" where one can do it.
ForcedForm forced_form();

/// Whether a step that the given family could do is done in the expanded form.
bool takes_expanded(const DeviceProblem& p, DataType type, Precision precision, FamilyKind kind);

}  // namespace scdcf::ops::cuda
