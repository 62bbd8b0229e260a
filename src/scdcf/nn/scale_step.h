// How far apart the scales of features are, which their shape does not show.
#pragma once

#include <ATen/core/Tensor.h>

namespace scdcf::nn {

/// Notes that a layer of this thread returns features whose scales are `step` octaves apart, and gives them back.
at::Tensor with_step(const at::Tensor& features, double step);

/// Refuses features [N, C, S, H, W] of another step, for the layer `name`. It is known of the last outputs of layers
/// and, while gradients are recorded, of what was computed from them by other operations, if that has as many scales.
void check_step(const at::Tensor& features, double step, const char* name);

}  // namespace scdcf::nn
