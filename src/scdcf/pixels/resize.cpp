#include "scdcf/pixels/resize.h"

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/core/for_each.h"

namespace scdcf::pixels {
namespace {

/// One axis: out[i] = sum_k weights[i * taps + k] in[first[i] + k], where indices outside the axis have weight 0.
struct AxisMap {
  int taps = 0;
  std::vector<int> first;
  std::vector<double> weights;
  int size() const { return static_cast<int>(first.size()); }
};

double keys_kernel(double t) {
  constexpr double a = -0.75;
  t = std::abs(t);
  if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

enum class Border { zero, repeat };

/// Interpolates at source(i), in coordinates where pixel k has its centre at k, by a kernel `stretch` times as wide.
template <class Source>
AxisMap interpolation(int in_size, int out_size, Border border, Source source, double stretch = 1) {
  AxisMap map;
  const int reach = static_cast<int>(std::ceil(4 * stretch));
  map.taps = std::min(reach, in_size);
  map.first.resize(static_cast<std::size_t>(out_size));
  map.weights.assign(static_cast<std::size_t>(out_size) * map.taps, 0.0);
  for (int i = 0; i < out_size; ++i) {
    const double position = source(i);
    if (position <= -2 * stretch || position >= in_size - 1 + 2 * stretch) continue;  // outside: all weights stay 0
    const int left = static_cast<int>(std::floor(position - 2 * stretch)) + 1;
    const int first = std::clamp(left, 0, in_size - map.taps);
    map.first[static_cast<std::size_t>(i)] = first;
    double sum = 1;  // as it is, without a division that may round, where the kernel is not stretched
    if (stretch > 1) {
      sum = 0;
      for (int tap = left; tap < left + reach; ++tap) sum += keys_kernel((position - tap) / stretch);
    }
    for (int tap = left; tap < left + reach; ++tap) {
      if (border == Border::zero && (tap < 0 || tap >= in_size)) continue;
      const int column = std::clamp(tap, 0, in_size - 1) - first;
      map.weights[static_cast<std::size_t>(i) * map.taps + column] += keys_kernel((position - tap) / stretch) / sum;
    }
  }
  return map;
}

/// `count` pixels from first_pixel on of an axis that shrinks: averages over [i, i + 1] * in_size / out_size.
AxisMap averaging(int in_size, int out_size, int first_pixel, int count) {
  AxisMap map;
  map.taps = std::min(in_size, in_size / out_size + 2);
  const double step = static_cast<double>(in_size) / out_size;
  for (int i = first_pixel; i < first_pixel + count; ++i) {
    const double begin = i * step, end = (i + 1) * step;
    map.first.push_back(std::clamp(static_cast<int>(begin), 0, in_size - map.taps));
    for (int k = map.first.back(); k < map.first.back() + map.taps; ++k)
      map.weights.push_back(std::max(0.0, std::min(end, k + 1.0) - std::max(begin, k + 0.0)) / step);
  }
  return map;
}

AxisMap resizing(int in_size, int out_size, int first, int count) {
  if (out_size < in_size) return averaging(in_size, out_size, first, count);
  const auto source = [=](int i) { return (first + i + 0.5) * in_size / out_size - 0.5; };
  return interpolation(in_size, count, Border::repeat, source);
}

/// To the nearest; lround would be a call for each pixel, and a value that is not negative needs none.
std::uint8_t to_byte(double value) {
  const double rounded_up = std::clamp(value, 0.0, 255.0) + 0.5;
  return static_cast<std::uint8_t>(rounded_up);
}

/// Columns first, then rows, of one plane.
void apply(const AxisMap& rows, const AxisMap& columns, const std::uint8_t* in, int in_width, std::uint8_t* out) {
  const int width = columns.size();
  // The rows that one row of the result is made of, no more: a tall picture has thousands. Row y lies at y % taps.
  std::vector<double> half(static_cast<std::size_t>(rows.taps) * width);
  const auto place = [&](int y) { return half.data() + static_cast<std::ptrdiff_t>(y % rows.taps) * width; };
  int next = 0;
  const auto fill = [&](int y) {
    for (int x = 0; x < width; ++x) {
      const double* weight = columns.weights.data() + static_cast<std::ptrdiff_t>(x) * columns.taps;
      const std::uint8_t* source = in + static_cast<std::ptrdiff_t>(y) * in_width + columns.first[x];
      double sum = 0;
      for (int k = 0; k < columns.taps; ++k) sum += weight[k] * source[k];
      place(y)[x] = sum;
    }
  };
  std::vector<double> line(static_cast<std::size_t>(width));
  for (int y = 0; y < rows.size(); ++y) {
    std::fill(line.begin(), line.end(), 0.0);
    for (next = std::max(next, rows.first[y]); next < rows.first[y] + rows.taps; ++next) fill(next);
    for (int k = 0; k < rows.taps; ++k) {
      const double weight = rows.weights[static_cast<std::size_t>(y) * rows.taps + k];
      const double* source = place(rows.first[y] + k);
      for (int x = 0; x < width; ++x) line[x] += weight * source[x];
    }
    for (int x = 0; x < width; ++x) out[static_cast<std::ptrdiff_t>(y) * width + x] = to_byte(line[x]);
  }
}

void check_side(int size) {
  require(size > 0 && size <= static_cast<int>(kLargestSide), "size: got ", size, " pixels, expected 1 to ",
          kLargestSide);
}

Image transformed(const Image& image, const AxisMap& rows, const AxisMap& columns) {
  Image result{image.channels, rows.size(), columns.size(), {}};
  const std::size_t in_area = std::size_t{1} * image.height * image.width;
  const std::size_t out_area = std::size_t{1} * result.height * result.width;
  require(image.height > 0 && image.width > 0 && image.pixels.size() == in_area * image.channels, "image: got ",
          image.pixels.size(), " bytes for ", image.channels, " x ", image.height, " x ", image.width);
  result.pixels.resize(out_area * image.channels);
  for (int c = 0; c < image.channels; ++c)
    apply(rows, columns, image.pixels.data() + c * in_area, image.width, result.pixels.data() + c * out_area);
  return result;
}

}  // namespace

Image resize(const Image& image, int height, int width) {
  check_side(height);
  check_side(width);
  return resize(image, height, width, {0, 0, height, width});
}

Image resize(const Image& image, int height, int width, const Window& window) {
  check_side(window.height);
  check_side(window.width);
  require(window.top >= 0 && window.top + window.height <= height && window.left >= 0 &&
              window.left + window.width <= width,
          "resize: got a window outside ", width, " x ", height, " pixels");
  if (image.height == window.height && image.width == window.width && height == window.height && width == window.width)
    return image;
  return transformed(image, resizing(image.height, height, window.top, window.height),
                     resizing(image.width, width, window.left, window.width));
}

Image rescale_about_centre(const Image& image, double factor) {
  require(factor > 0, "factor: got ", factor, ", expected a positive number");
  const auto axis = [factor](int size) {
    const double centre = (size - 1) / 2.0;
    return interpolation(size, size, Border::zero, [=](int i) { return centre + (i - centre) / factor; });
  };
  return transformed(image, axis(image.height), axis(image.width));
}

Image place(const Image& image, double factor, double x, double y, int side) {
  require(factor > 0.01 && factor < 100, "factor: got ", factor, ", expected 0.01 to 100");
  check_side(side);
  const auto axis = [&](int size, double centre) {
    const auto source = [=](int i) { return size / 2.0 - 0.5 + (i + 0.5 - centre) / factor; };
    return interpolation(size, side, Border::zero, source, std::max(1.0, 1 / factor));
  };
  return transformed(image, axis(image.height, y), axis(image.width, x));
}

}  // namespace scdcf::pixels
