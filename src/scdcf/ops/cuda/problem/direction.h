// One direction of the problem, as a walk over stages.
//
// Forward and the gradient of the input have one form: contract a source map along its u axis with the first factors,
// multiply by the mixing matrix, contract along the v axis with the second factors:
//   forward  u = x, v = y, first = row factors, second = column factors, (p, q) = (x', y')
//   grad_in  u = y', v = x', first = column factors, second = row factors, both transposed, (p, q) = (y, x)
// A destination plane is the sum over its stages: a source plane, a mixing matrix, and the scale whose factors apply.
#pragma once

#include "scdcf/ops/cuda/problem/line_bank.h"

namespace scdcf::ops::cuda {

struct Stage {
  int16_t source_plane, mixing, scale;
};

struct Direction {
  int batch, source_planes, target_planes, source_channels, target_channels, source_pixels, target_pixels;
  int u_step, v_step, p_step, q_step;
  int flush_each;                                          // second factors differ between stages
  int border_bits;                                         // of the adjoint (magnitudes.h), else 0
  LineBank first, second;                                  // without their tiles
  int16_t stage_begin[kMaxPlanes + 1], order[kMaxPlanes];  // order: planes of many stages first
  int16_t radius[kMaxScales];
  Stage stages[kMaxSources];
};

Direction make_direction(const DeviceProblem& p, bool forward);

}  // namespace scdcf::ops::cuda
