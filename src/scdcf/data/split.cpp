#include "scdcf/data/split.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "scdcf/core/error.h"

namespace scdcf::data {

std::vector<std::int64_t> stratified_order(const std::vector<std::int32_t>& labels, Random random) {
  const std::int64_t count = static_cast<std::int64_t>(labels.size());
  std::vector<std::int64_t> class_sizes;
  for (const auto label : labels) {
    require(label >= 0, "label: got ", label, ", expected 0 or more");
    if (static_cast<std::size_t>(label) >= class_sizes.size()) class_sizes.resize(static_cast<std::size_t>(label) + 1);
    ++class_sizes[static_cast<std::size_t>(label)];
  }
  // The k-th of a class of n gets the place (k + 1/2) / n.
  std::vector<std::tuple<double, std::int32_t, std::int64_t>> places;
  places.reserve(labels.size());
  std::vector<std::int64_t> seen(class_sizes.size());
  for (const std::int64_t index : random.permutation(count)) {
    const auto label = labels[static_cast<std::size_t>(index)];
    const auto k = seen[static_cast<std::size_t>(label)]++;
    places.emplace_back((2.0 * k + 1) / (2.0 * class_sizes[static_cast<std::size_t>(label)]), label, index);
  }
  std::sort(places.begin(), places.end());
  std::vector<std::int64_t> order;
  order.reserve(labels.size());
  for (const auto& place : places) order.push_back(std::get<2>(place));
  return order;
}

ImageSet select(const ImageSet& set, const std::vector<std::int64_t>& indices) {
  ImageSet part;
  part.channels = set.channels;
  part.height = set.height;
  part.width = set.width;
  part.class_names = set.class_names;
  part.labels.reserve(indices.size());
  part.pixels.reserve(indices.size() * static_cast<std::size_t>(set.image_bytes()));
  for (const std::int64_t index : indices) {
    require(index >= 0 && index < set.count(), "index: got ", index, ", expected less than ", set.count());
    part.labels.push_back(set.labels[static_cast<std::size_t>(index)]);
    part.pixels.insert(part.pixels.end(), set.image(index), set.image(index) + set.image_bytes());
    if (!set.scales.empty()) part.scales.push_back(set.scales[static_cast<std::size_t>(index)]);
  }
  return part;
}

Pair split_off(const ImageSet& set, double share, Random random) {
  require(share >= 0 && share < 1, "share: got ", share, ", expected 0 or more and less than 1");
  auto order = stratified_order(set.labels, random);
  std::int64_t last = std::llround(share * static_cast<double>(set.count()));
  if (share > 0) last = std::clamp<std::int64_t>(last, 1, std::max<std::int64_t>(1, set.count() - 1));
  require(last < set.count(), "split: got ", set.count(), " pictures, expected at least 2");
  const auto cut = order.end() - last;
  return {select(set, {order.begin(), cut}), select(set, {cut, order.end()})};
}

}  // namespace scdcf::data
