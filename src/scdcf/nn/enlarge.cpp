#include "scdcf/nn/enlarge.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/nn/input_checks.h"

namespace scdcf::nn {
namespace {

double keys_kernel(double t) {
  constexpr double a = -0.75;
  t = std::abs(t);
  if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

/// [frame, size]: row i holds the weights of the pixels that pixel i of the frame is made of.
DeviceConstant resampling(int64_t size, int64_t frame, double factor, bool replicate) {
  std::vector<double> values(static_cast<size_t>(frame * size), 0.0);
  const double stretch = std::max(1.0, 1 / factor), reach = 2 * stretch;
  for (int64_t i = 0; i < frame; ++i) {
    const double at =
        (static_cast<double>(i) + 0.5 - static_cast<double>(frame) / 2) / factor + static_cast<double>(size) / 2 - 0.5;
    const auto first = static_cast<int64_t>(std::ceil(at - reach)), last = static_cast<int64_t>(std::floor(at + reach));
    double sum = 0;
    for (int64_t p = first; p <= last; ++p) sum += keys_kernel((at - static_cast<double>(p)) / stretch);
    for (int64_t p = first; p <= last; ++p) {
      const int64_t pixel = replicate ? std::clamp<int64_t>(p, 0, size - 1) : p;
      if (pixel < 0 || pixel >= size) continue;
      values[static_cast<size_t>(i * size + pixel)] += keys_kernel((at - static_cast<double>(p)) / stretch) / sum;
    }
  }
  return {std::move(values), {frame, size}};
}

}  // namespace

EnlargeImpl::EnlargeImpl(EnlargeOptions options_) : options(options_) { reset(); }

void EnlargeImpl::reset() {
  require(options.factor() >= 1 / kMostEnlarged && options.factor() <= kMostEnlarged, "Enlarge: factor: got ",
          options.factor(), ", expected 1/", kMostEnlarged, " to ", kMostEnlarged);
  constexpr int64_t kMostPixels = 1 << 15;
  require(options.frame() >= 0 && options.frame() <= kMostPixels, "Enlarge: frame: got ", options.frame(),
          ", expected 1 to ", kMostPixels, ", or 0 for the whole image");
  require(options.padding() != SpatialPadding::none, "Enlarge: padding: got none, expected zero or replicate");
}

void EnlargeImpl::pretty_print(std::ostream& stream) const {
  stream << "scdcf::nn::Enlarge(" << options.factor() << " times";
  if (options.frame() > 0) stream << ", the middle " << options.frame() << " x " << options.frame();
  stream << ", padding " << name_of(options.padding()) << ")";
}

const DeviceConstant& EnlargeImpl::matrix(int64_t size) const {
  return matrices_.get(size, [&] {
    const auto whole = std::max<int64_t>(1, std::llround(static_cast<double>(size) * options.factor()));
    return resampling(size, options.frame() > 0 ? options.frame() : whole, options.factor(),
                      options.padding() == SpatialPadding::replicate);
  });
}

torch::Tensor EnlargeImpl::forward(const torch::Tensor& images) {
  check_images("Enlarge", images);
  return enlarge(images, matrix(images.size(2)).like(images), matrix(images.size(3)).like(images));
}

at::Tensor enlarge(const at::Tensor& images, const at::Tensor& rows, const at::Tensor& columns) {
  return at::matmul(rows, at::matmul(images, columns.t()));
}

at::Tensor enlarge_by_each(const at::Tensor& images, const at::Tensor& rows, const at::Tensor& columns) {
  const int64_t each = rows.size(0), maps = images.size(0) * images.size(1), width = images.size(3);
  const auto upright = images.transpose(2, 3).reshape({1, maps * width, images.size(2)}).expand({each, -1, -1});
  const auto resampled = at::bmm(upright, rows.transpose(1, 2));  // [L, N C W, H']
  const auto lines = resampled.view({each, maps, width, rows.size(1)}).transpose(2, 3).reshape({each, -1, width});
  return at::bmm(lines, columns.transpose(1, 2))
      .view({each * images.size(0), images.size(1), rows.size(1), columns.size(1)});
}

}  // namespace scdcf::nn
