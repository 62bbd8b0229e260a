#include "scdcf/ops/cost.h"

#include <algorithm>

#include "scdcf/core/error.h"

namespace scdcf::ops {
namespace {

int64_t largest_kernel(const ConvShape& shape) {
  require(!shape.kernel_sizes.empty(), "cost model: kernel_sizes: got none, expected one per scale");
  return *std::max_element(shape.kernel_sizes.begin(), shape.kernel_sizes.end());
}

/// The sum over scales of f(L_s), times the number of output pixels.
template <class PerPixel>
int64_t over_scales(const ConvShape& shape, PerPixel per_pixel) {
  int64_t sum = 0;
  for (const int64_t kernel : shape.kernel_sizes) sum += per_pixel(kernel);
  return sum * shape.out_height * shape.out_width;
}

}  // namespace

ConvShape ConvShape::uniform(int64_t height, int64_t width, int64_t scales, int64_t kernel, int64_t taps, int64_t in,
                             int64_t out, int64_t modes, int64_t scale_modes) {
  ConvShape shape;
  shape.out_height = height;
  shape.out_width = width;
  shape.in_channels = in;
  shape.out_channels = out;
  shape.modes = modes;
  shape.scale_modes = scale_modes;
  shape.scale_taps = taps;
  shape.kernel_sizes.assign(static_cast<size_t>(scales), kernel);
  return shape;
}

int64_t dense_parameters(const ConvShape& shape) {
  const int64_t kernel = largest_kernel(shape);
  return kernel * kernel * shape.scale_taps * shape.in_channels * shape.out_channels;
}

int64_t decomposed_parameters(const ConvShape& shape) {
  return shape.modes * shape.scale_modes * shape.in_channels * shape.out_channels;
}

int64_t composed_multiply_adds(const ConvShape& shape) {
  return over_scales(shape, [&](int64_t kernel) {
    return kernel * kernel * shape.scale_taps * shape.in_channels * shape.out_channels;
  });
}

int64_t decomposed_multiply_adds(const ConvShape& shape) {
  return over_scales(shape, [&](int64_t kernel) {
    const int64_t joint_modes = shape.modes * shape.scale_modes;
    return shape.in_channels *
           (shape.scale_taps * shape.scale_modes + kernel * kernel * joint_modes + joint_modes * shape.out_channels);
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

int64_t paper_regular_flops(const ConvShape& shape) {
  const int64_t kernel = largest_kernel(shape), scales = static_cast<int64_t>(shape.kernel_sizes.size());
  return shape.out_height * shape.out_width * scales * shape.out_channels *
         (2 * kernel * kernel * shape.scale_taps * shape.in_channels + shape.scale_taps * shape.in_channels +
          shape.in_channels + 2);
}

int64_t paper_scdcf_flops(const ConvShape& shape) {
  const int64_t kernel = largest_kernel(shape), scales = static_cast<int64_t>(shape.kernel_sizes.size());
  const int64_t joint_modes = shape.modes * shape.scale_modes;
  return 2 * shape.out_height * shape.out_width * scales *
         (joint_modes * shape.in_channels * shape.out_channels + shape.out_channels +
          kernel * kernel * shape.in_channels * joint_modes + shape.scale_taps * shape.scale_modes * shape.in_channels);
}

}  // namespace scdcf::ops
