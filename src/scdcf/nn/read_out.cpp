#include "scdcf/nn/read_out.h"

#include <ATen/ATen.h>

#include "scdcf/core/error.h"

namespace scdcf::nn {

at::Tensor centre_of(const at::Tensor& maps) {
  require(maps.dim() >= 2, "centre_of: got shape ", maps.sym_sizes(), ", expected maps [..., H, W]");
  const int64_t height = maps.size(-2), width = maps.size(-1);
  require(height >= 1 && width >= 1, "centre_of: got shape ", maps.sym_sizes(), ", expected at least one pixel");
  const int64_t y = (height - 1) / 2, x = (width - 1) / 2;
  return maps.narrow(-2, y, height / 2 - y + 1).narrow(-1, x, width / 2 - x + 1).mean(at::IntArrayRef{-2, -1});
}

ReadOut read_out(const at::Tensor& scores, PlaneRange planes) {
  const bool placed = scores.dim() == 5;
  require(placed || scores.dim() == 3, "read_out: got shape ", scores.sym_sizes(),
          ", expected [N, classes, S, H, W] or [N, classes, S]");
  const int64_t count = scores.size(2), last = planes.last < 0 ? count - 1 : planes.last;
  require(planes.first >= 0 && planes.first <= last && last < count, "read_out: planes: got ", planes.first, " to ",
          planes.last, ", expected a range within 0 to ", count - 1);
  const auto chosen = scores.narrow(2, planes.first, last - planes.first + 1);
  const auto [value, at] = chosen.flatten(2).max(2);
  if (!placed) return {value, at + planes.first, {}, {}};
  const int64_t width = scores.size(4), pixels = scores.size(3) * width;
  const auto place = at.remainder(pixels);
  return {value, at.div(pixels, "floor") + planes.first, place.div(width, "floor"), place.remainder(width)};
}

at::Tensor peak_plane(const at::Tensor& scores, const at::Tensor& plane) {
  require(scores.dim() == 2 && plane.dim() == 1 && plane.size(0) == scores.size(0), "peak_plane: got shapes ",
          scores.sym_sizes(), " and ", plane.sym_sizes(), ", expected [N, S] and [N]");
  const int64_t last = scores.size(1) - 1;
  if (last < 2) return plane.to(scores.scalar_type());
  constexpr double kWithoutBend = 1e6;
  const auto middle = plane.clamp(1, last - 1);
  const auto value = [&](int64_t shift) { return scores.gather(1, (middle + shift).unsqueeze(1)).squeeze(1); };
  const auto before = value(-1), here = value(0), after = value(1);
  const auto bend = 2 * here - before - after, lean = (after - before) / 2;
  return middle + at::where(bend.gt(0), lean / bend, kWithoutBend * lean);
}

at::Tensor interpolated_plane(const at::Tensor& scores, const at::Tensor& plane) {
  return plane + (peak_plane(scores, plane) - plane).clamp(-0.5, 0.5);
}

}  // namespace scdcf::nn
