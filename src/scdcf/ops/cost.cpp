#include "scdcf/ops/cost.h"

#include "scdcf/core/error.h"

namespace scdcf::ops {
namespace {

/// The sum over scales of f(L_s), times the number of output pixels.
template <class PerPixel>
int64_t over_scales(const ConvShape& shape, PerPixel per_pixel) {
  int64_t sum = 0;
  for (const int64_t kernel : shape.kernel_sizes) sum += per_pixel(kernel);
  return sum * shape.out_height * shape.out_width;
}

}  // namespace

int64_t composed_multiply_adds(const ConvShape& shape) {
  return over_scales(shape, [&](int64_t kernel) {
    return kernel * kernel * shape.scale_taps * shape.in_channels * shape.out_channels;
  });
}

int64_t separable_multiply_adds(const ConvShape& shape) {
  require(shape.column_modes > 0 && shape.row_modes > 0,
          "cost model: separable form: got a basis without 1-D factors, expected a separable one");
  return over_scales(shape, [&](int64_t kernel) {
    const int64_t inputs = shape.scale_taps * shape.in_channels;
    return shape.row_modes * kernel * inputs + shape.modes * inputs * shape.out_channels +
           shape.column_modes * kernel * shape.out_channels;
  });
}

double predicted_composed_time(const ConvShape& shape) {
  constexpr double kConvolution = 1.5;
  return kConvolution * static_cast<double>(composed_multiply_adds(shape));
}

double predicted_separable_time(const ConvShape& shape) {
  constexpr double kPasses = 1.5;
  auto product_only = shape;
  for (auto& kernel : product_only.kernel_sizes) kernel = 0;
  const auto product = static_cast<double>(separable_multiply_adds(product_only));
  return product + kPasses * (static_cast<double>(separable_multiply_adds(shape)) - product);
}

}  // namespace scdcf::ops
