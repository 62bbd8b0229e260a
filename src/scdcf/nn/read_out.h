// From scores at every size and place to one score a class, and where it was found.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace scdcf::nn {

/// Mean over the one, two or four pixels about the centre of maps [..., H, W]: [...].
at::Tensor centre_of(const at::Tensor& maps);

/// Neighbouring planes of the scale axis, first .. last.
struct PlaneRange {
  int64_t first = 0;
  int64_t last = -1;  ///< -1: the coarsest
};

/// What was read off scores [N, classes, S, H, W], or [N, classes, S] where the places are gone.
struct ReadOut {
  at::Tensor scores;  ///< [N, classes]: the maximum over the planes of the range and over every place
  at::Tensor plane;   ///< [N, classes]: where it is attained
  at::Tensor y, x;    ///< [N, classes], in pixels of the maps; undefined where the places are gone
};
ReadOut read_out(const at::Tensor& scores, PlaneRange planes = {});

/// Where scores [N, S] whose maximum is at `plane` [N] peak along the planes, [N]: the top of the parabola through the
/// maximum and its neighbours, at an end through the last three. Before the first plane or behind the last where they
/// rise to the end and hardly bend, far beyond it where they do not; at `plane` where there are fewer than three.
at::Tensor peak_plane(const at::Tensor& scores, const at::Tensor& plane);

/// The same, at most half a plane away from `plane`.
at::Tensor interpolated_plane(const at::Tensor& scores, const at::Tensor& plane);

}  // namespace scdcf::nn
