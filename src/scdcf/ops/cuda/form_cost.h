// Which form a step takes: lifting apart, streamed, chained or expanded (separable_kernel.cpp).
//
// The expanded form's parts are counted one by one:
//
//   expand, collect   by products: so much for each number of Z, and for each number of the lines between the passes;
//                     by sliding sums: the larger of Z's bytes over a share of the speed of a copy and the
//                     multiplications over their rate
//   product           the larger of its operations over a share of the rate of a large square product, and its bytes
//                     over the speed of a copy
//
// The chained kernels' time is counted in products of tensor cores, those of the first pass, which waits for memory,
// apart from the others, and in tiles; that of the streamed ones in operations at a measured rate. The constants are
// fitted to the kernels' times on an H200 (results/h200-passes.txt, results/h200-kernels.txt). On another card the same
// ratios decide.
#pragma once

#include "scdcf/ops/cuda/expanded/expanded.h"

namespace scdcf::ops::cuda {

double expanded_milliseconds(const DeviceProblem& p, DataType type, Precision precision, ExpandedStep step);
/// TF32.
double streamed_milliseconds(const DeviceProblem& p, DataType type, ExpandedStep step);
/// Infinite where the chained kernels do not take the problem.
double chained_milliseconds(const DeviceProblem& p, DataType type, Precision precision, ExpandedStep step);

enum class ForcedForm { none, streamed, chained, expanded };

/// What the environment variable SCDCF_CUDA_FORM says, read once: "streamed" or "chained" where these kernels can do a
/// step (else another does), or "expanded".
ForcedForm forced_form();

}  // namespace scdcf::ops::cuda
