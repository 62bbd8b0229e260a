// Smooth images drawn from formulae, at any resolution: experiments that need no file.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace scdcf::verify {

/// `count` different drawings, each a handful of soft strokes in the middle half of the canvas: [count, 1, size, size].
/// The same seed draws the same picture at every size; a softness above one blurs it.
at::Tensor soft_strokes(int64_t count, int64_t size, uint64_t seed, double softness = 1);

}  // namespace scdcf::verify
