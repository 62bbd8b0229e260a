#include "scdcf/data/placed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "scdcf/core/error.h"
#include "scdcf/pixels/resize.h"

namespace scdcf::data {
namespace {

/// Half of a Gaussian cut at three deviations: the weights of the pixels at distance 0, 1, 2, ...
std::vector<double> gaussian(double deviation) {
  std::vector<double> half = {1};
  double sum = 1;
  for (int d = 1; d <= static_cast<int>(std::ceil(3 * deviation)); ++d) {
    half.push_back(std::exp(-d * d / (2 * deviation * deviation)));
    sum += 2 * half.back();
  }
  for (auto& weight : half) weight /= sum;
  return half;
}

/// A square with `reach` more pixels on each side than the result has.
std::vector<double> smoothed(const pixels::Image& square, const std::vector<double>& half) {
  const int reach = static_cast<int>(half.size()) - 1, in = square.width, side = in - 2 * reach;
  const auto at = [](int y, int x, int width) { return static_cast<std::size_t>(y) * width + x; };
  std::vector<double> rows(static_cast<std::size_t>(in) * side), result(static_cast<std::size_t>(side) * side);
  for (int y = 0; y < in; ++y) {
    const auto* line = square.pixels.data() + at(y, 0, in);
    if (std::all_of(line, line + in, [](auto pixel) { return pixel == 0; })) continue;
    for (int x = 0; x < side; ++x) {
      double sum = half[0] * line[x + reach];
      for (int d = 1; d <= reach; ++d) sum += half[d] * (line[x + reach - d] + line[x + reach + d]);
      rows[at(y, x, side)] = sum;
    }
  }
  for (int y = 0; y < side; ++y) {
    double* line = result.data() + at(y, 0, side);
    const auto add = [&](int from, double weight) {
      const double* source = rows.data() + at(from, 0, side);
      for (int x = 0; x < side; ++x) line[x] += weight * source[x];
    };
    for (int d = -reach; d <= reach; ++d) add(y + reach + d, half[std::abs(d)]);
  }
  return result;
}

constexpr int kSteps = 16;  // entries of the table for each grey level

/// The soft threshold of 0, 1/16, 2/16, ... 255. A table, for an atan a pixel takes longer than all the rest.
const std::array<std::uint8_t, 255 * kSteps + 1>& soft_threshold() {
  static const auto table = [] {
    const auto curve = [](double value) { return std::atan(0.02 * (value - 128)); };
    std::array<std::uint8_t, 255 * kSteps + 1> result{};
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = static_cast<std::uint8_t>(
          std::lround(255 * (curve(static_cast<double>(i) / kSteps) - curve(0)) / (curve(255) - curve(0))));
    return result;
  }();
  return table;
}

}  // namespace

pixels::Image draw_placed(const pixels::Image& picture, double factor, double x, double y, int side) {
  require(picture.channels == 1, "picture: got ", picture.channels, " channels, expected 1");
  const auto half = gaussian(7.0 / 8 * factor);
  const int reach = static_cast<int>(half.size()) - 1;
  const auto values = smoothed(pixels::place(picture, factor, x + reach, y + reach, side + 2 * reach), half);
  pixels::Image result{1, side, side, files::Bytes(values.size())};
  const auto& table = soft_threshold();
  std::transform(values.begin(), values.end(), result.pixels.begin(), [&](double value) {
    const double rounded_up = value * kSteps + 0.5;  // to the nearest, without a call for each pixel
    return table[std::min(static_cast<std::size_t>(rounded_up), table.size() - 1)];
  });
  return result;
}

ImageSet draw_placed(const Pool& pool, const std::vector<Placed>& placed, int side) {
  ImageSet set;
  set.height = set.width = side;
  set.class_names = pool.class_names;
  set.scales.resize(placed.size());
  for (const auto& one : placed) {
    set.labels.push_back(pool.labels.at(static_cast<std::size_t>(one.picture)));
    set.centres.push_back({static_cast<float>(one.x), static_cast<float>(one.y)});
  }
  fill_pixels(set, [&](std::int64_t i) {
    const auto& one = placed[static_cast<std::size_t>(i)];
    const auto picture = pool.image(one.picture);
    set.scales[static_cast<std::size_t>(i)] = static_cast<float>(picture.width * one.factor / side);
    return draw_placed(picture, one.factor, one.x, one.y, side);
  });
  return set;
}

std::vector<PictureAndSize> at_every_size(const std::vector<std::int32_t>& labels, int sizes) {
  require(sizes > 0, "sizes: got ", sizes, ", expected at least 1");
  // From a size to the next: far enough that a few pictures show small and large objects, and no size is left out.
  int stride = std::max(1, static_cast<int>(0.382 * sizes));
  while (std::gcd(stride, sizes) != 1) ++stride;
  std::map<std::int32_t, std::int64_t> starts;  // of each class its own, spread over the sizes
  for (const auto label : labels) starts[label] = 0;
  std::int64_t index = 0;
  for (auto& [label, start] : starts) start = index++ * sizes / static_cast<std::int64_t>(starts.size());
  std::vector<std::int64_t> first;  // the size of each picture in the first round
  for (const auto label : labels) first.push_back((starts[label] += stride) % sizes);
  std::vector<PictureAndSize> order;
  for (std::int64_t round = 0; round < sizes; ++round)
    for (std::size_t picture = 0; picture < labels.size(); ++picture)
      order.push_back(
          {static_cast<std::int64_t>(picture), static_cast<int>((first[picture] + round * stride) % sizes)});
  return order;
}

}  // namespace scdcf::data
