// Which of the three forms of the kernels a call takes, and how images share vectors where they do.
#pragma once

#include <cstdint>

#include "scdcf/ops/separable_problem.h"

namespace scdcf::ops::cpu::detail {

/// blocked: vectors along channels, which are padded to whole vectors. lanes: vectors across images (lanes.inl), for
/// channels that would be padded much. thin: vectors across images, both passes before the product, for few input
/// channels: K maps of them then cost less than A of the output's.
enum class Form { blocked, lanes, thin };

/// What a call computes: the output or the gradient of the mixing, which cost the same, and the gradient of the input.
struct Wanted {
  bool product, grad_in;
};

/// The cheapest form, by a count of multiply-adds. With grad_in alone it is never thin.
Form choose_form(const SeparableProblem& problem, Wanted wanted, int64_t lanes);

/// A group of `images` images, each cut into `strips` strips of `strip_width` output columns, shares a vector.
struct LaneLayout {
  int64_t images = 1, strips = 1, strip_width = 1;
  double waste = 1;  // columns of all lanes over those that exist, more when rows are too long for the cache
};

LaneLayout lane_layout(const SeparableProblem& problem, int64_t lanes);

}  // namespace scdcf::ops::cpu::detail
