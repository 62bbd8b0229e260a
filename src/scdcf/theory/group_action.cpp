#include "scdcf/theory/group_action.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "scdcf/core/error.h"

namespace scdcf::theory {
namespace {

/// The matrix that takes samples of a function on a line to samples of u -> f(2^-beta (u - v)).
at::Tensor resampling(int64_t size, double beta, double v, Interpolation interpolation, const at::Tensor& like) {
  std::vector<double> matrix(static_cast<size_t>(size * size), 0.0);
  const double centre = (static_cast<double>(size) - 1) / 2, shrink = std::exp2(-beta);
  for (int64_t i = 0; i < size; ++i) {
    const double source = shrink * (static_cast<double>(i) - centre - v) + centre;
    if (!(source > -2 && source < static_cast<double>(size) + 1)) continue;
    const double left = std::floor(source);
    const auto w = interpolation_weights(source - left, interpolation);
    for (int64_t j = 0; j < 4; ++j) {
      const int64_t index = static_cast<int64_t>(left) - 1 + j;
      if (index >= 0 && index < size) matrix[static_cast<size_t>(i * size + index)] = w[static_cast<size_t>(j)];
    }
  }
  return at::tensor(matrix, at::kDouble).view({size, size}).to(like.device(), like.scalar_type());
}

void check(const GroupElement& g) {
  require(std::isfinite(g.beta) && std::abs(g.beta) <= 64, "group action: beta: got ", g.beta,
          ", expected a number of octaves between -64 and 64");
  require(std::isfinite(g.v_y) && std::isfinite(g.v_x), "group action: v: got (", g.v_y, ", ", g.v_x,
          "), expected finite numbers of pixels");
}

}  // namespace

GroupElement GroupElement::about(double beta, double y, double x) {
  const double move = 1 - std::exp2(beta);
  return {beta, y * move, x * move};
}

GroupElement GroupElement::operator*(const GroupElement& other) const {
  const double scale = std::exp2(beta);
  return {beta + other.beta, v_y + scale * other.v_y, v_x + scale * other.v_x};
}

GroupElement GroupElement::inverse() const {
  const double scale = std::exp2(-beta);
  return {-beta, -scale * v_y, -scale * v_x};
}

at::Tensor act_on_image(const at::Tensor& image, const GroupElement& g, Interpolation interpolation) {
  check(g);
  require(image.dim() >= 2, "group action: image: got shape ", image.sizes(), ", expected at least [H, W]");
  require(at::isFloatingType(image.scalar_type()), "group action: image: got type ", image.scalar_type(),
          ", expected a floating-point type");
  const auto rows = resampling(image.size(-2), g.beta, g.v_y, interpolation, image);
  const auto columns = resampling(image.size(-1), g.beta, g.v_x, interpolation, image);
  return at::matmul(at::matmul(rows, image), columns.t());
}

at::Tensor act_on_features(const at::Tensor& features, const GroupElement& g, double step,
                           Interpolation interpolation) {
  require(features.dim() == 5, "group action: features: got shape ", features.sizes(), ", expected [N, C, S, H, W]");
  require(std::isfinite(step) && step > 0, "group action: step: got ", step, ", expected a positive number of octaves");
  check(g);
  const int64_t scales = features.size(2);
  const double last = static_cast<double>(scales) - 1;
  std::vector<at::Tensor> shifted;
  for (int64_t s = 0; s < scales; ++s) {
    double source = std::clamp(static_cast<double>(s) - g.beta / step, 0.0, last);
    if (std::abs(source - std::round(source)) < 1e-9)
      source = std::round(source);  // 3 * 0.1 / 0.1 must be a grid point
    const auto lower = static_cast<int64_t>(source);
    const double fraction = source - static_cast<double>(lower);
    const auto plane = features.select(2, lower);
    shifted.push_back(fraction == 0 ? plane : at::lerp(plane, features.select(2, lower + 1), fraction));
  }
  return act_on_image(at::stack(shifted, 2), g, interpolation);
}

int64_t common_scales(int64_t scales, double beta, double step) {
  const double lost = std::max(0.0, -beta / step);
  return std::max<int64_t>(0, scales - static_cast<int64_t>(std::ceil(lost - 1e-9)));
}

}  // namespace scdcf::theory
