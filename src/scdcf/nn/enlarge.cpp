#include "scdcf/nn/enlarge.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/nn/input_checks.h"

namespace scdcf::nn {
namespace {

at::Tensor keys_kernel(const at::Tensor& offsets) {
  constexpr double a = -0.75;
  const auto t = offsets.abs();
  const auto inner = ((a + 2) * t - (a + 3)) * t * t + 1, outer = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a;
  return at::where(t.le(1), inner, outer.masked_fill(t.ge(2), 0));
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

torch::Tensor EnlargeImpl::forward(const torch::Tensor& images) { return enlarge(images, options); }

at::Tensor enlarge(const at::Tensor& images, const EnlargeOptions& options) {
  check_images("Enlarge", images);
  const auto matrix = [&](int64_t dim) {
    return resampling_matrix(options, images.sym_size(dim), images.device()).to(images.scalar_type());
  };
  return resample(images, matrix(2), matrix(3));
}

at::Tensor resampling_matrix(const EnlargeOptions& options, const c10::SymInt& size, at::Device device) {
  require(size >= 1, "Enlarge: input: got ", size, " pixels, expected at least 1");
  const auto kind = at::TensorOptions(at::kDouble).device(device);
  const double factor = options.factor(), stretch = std::max(1.0, 1 / factor), reach = 2 * stretch;
  const auto whole = [&] { return std::llround(static_cast<double>(size.guard_int(__FILE__, __LINE__)) * factor); };
  const int64_t frame = options.frame() > 0 ? options.frame() : std::max<int64_t>(1, whole());
  const auto pixel = at::ones_symint({size}, kind).cumsum(0) - 1;  // 0 .. size - 1, where that is symbolic too
  const auto centre = pixel.mean() + 0.5, last = 2 * centre - 1;
  const auto at =
      (((at::arange(frame, kind) + (0.5 - static_cast<double>(frame) / 2)) / factor + centre) - 0.5).unsqueeze(1);
  // Weights sum to one over all pixels in reach, also those beyond the image.
  const auto near = (at - reach).ceil() + at::arange(static_cast<int64_t>(2 * reach) + 1, kind);
  const auto weights = keys_kernel((at - near) / stretch), sum = weights.sum(1, /*keepdim=*/true);
  const auto matrix = keys_kernel((at - pixel) / stretch) / sum;
  if (options.padding() == SpatialPadding::zero) return matrix;
  const auto before = (weights * near.lt(0)).sum(1, true) / sum, after = (weights * near.gt(last)).sum(1, true) / sum;
  return matrix + before * pixel.eq(0) + after * pixel.eq(last);
}

at::Tensor resample(const at::Tensor& images, const at::Tensor& rows, const at::Tensor& columns) {
  return at::matmul(rows, at::matmul(images, columns.t()));
}

at::Tensor resample_by_each(const at::Tensor& images, const at::Tensor& rows, const at::Tensor& columns) {
  const int64_t each = rows.size(0), maps = images.size(0) * images.size(1), width = images.size(3);
  const auto upright = images.transpose(2, 3).reshape({1, maps * width, images.size(2)}).expand({each, -1, -1});
  const auto resampled = at::bmm(upright, rows.transpose(1, 2));  // [L, N C W, H']
  const auto lines = resampled.view({each, maps, width, rows.size(1)}).transpose(2, 3).reshape({each, -1, width});
  return at::bmm(lines, columns.transpose(1, 2))
      .view({each * images.size(0), images.size(1), rows.size(1), columns.size(1)});
}

}  // namespace scdcf::nn
