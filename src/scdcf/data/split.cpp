#include "scdcf/data/split.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "scdcf/core/error.h"

namespace scdcf::data {

namespace {

/// The indices of `order`, each class spread evenly over the whole and within itself as it was.
std::vector<std::int64_t> spread(const std::vector<std::int32_t>& labels, const std::vector<std::int64_t>& order) {
  std::map<std::int32_t, std::int64_t> class_sizes, seen;
  for (const auto index : order) ++class_sizes[labels[static_cast<std::size_t>(index)]];
  // The k-th of a class of n gets the place (k + 1/2) / n.
  std::vector<std::tuple<double, std::int32_t, std::int64_t>> places;
  places.reserve(order.size());
  for (const auto index : order) {
    const auto label = labels[static_cast<std::size_t>(index)];
    require(label >= 0, "label: got ", label, ", expected 0 or more");
    const auto k = seen[label]++;
    places.emplace_back((2.0 * static_cast<double>(k) + 1) / (2.0 * static_cast<double>(class_sizes[label])), label,
                        index);
  }
  std::sort(places.begin(), places.end());
  std::vector<std::int64_t> result;
  result.reserve(order.size());
  for (const auto& place : places) result.push_back(std::get<2>(place));
  return result;
}

}  // namespace

std::vector<std::int64_t> stratified_order(const std::vector<std::int32_t>& labels, Random random) {
  return spread(labels, random.permutation(static_cast<std::int64_t>(labels.size())));
}

ImageSet select(const ImageSet& set, const std::vector<std::int64_t>& indices) {
  ImageSet part = without_pictures(set);
  part.labels.reserve(indices.size());
  part.pixels.reserve(indices.size() * static_cast<std::size_t>(set.image_bytes()));
  for (const std::int64_t index : indices) {
    require(index >= 0 && index < set.count(), "index: got ", index, ", expected less than ", set.count());
    part.labels.push_back(set.labels[static_cast<std::size_t>(index)]);
    part.pixels.insert(part.pixels.end(), set.image(index), set.image(index) + set.image_bytes());
    if (!set.scales.empty()) part.scales.push_back(set.scales[static_cast<std::size_t>(index)]);
    if (!set.centres.empty()) part.centres.push_back(set.centres[static_cast<std::size_t>(index)]);
    if (!set.names.empty()) part.names.push_back(set.names[static_cast<std::size_t>(index)]);
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

Indices split_by_name(const std::vector<std::int32_t>& labels, const std::vector<std::string>& names, double share,
                      std::uint64_t seed, std::uint64_t stream) {
  require(share >= 0 && share < 1, "share: got ", share, ", expected 0 or more and less than 1");
  require(names.size() == labels.size(), "split: got ", names.size(), " names for ", labels.size(), " pictures");
  // A number in (-1, 0] for each, in order; those above -share are split off.
  std::vector<std::pair<double, std::int64_t>> numbers;
  for (std::size_t i = 0; i < names.size(); ++i)
    numbers.emplace_back(-Random(seed, stream, hash_of(names[i])).uniform(), static_cast<std::int64_t>(i));
  std::sort(numbers.begin(), numbers.end());
  const auto label_of = [&](std::int64_t index) { return labels[static_cast<std::size_t>(index)]; };
  Indices parts;
  std::map<std::int32_t, int> kept;
  for (const auto& [number, index] : numbers) {
    const bool keeps = number <= -share || kept[label_of(index)] == 0;
    (keeps ? parts.first : parts.last).push_back(index);
    kept[label_of(index)] += keeps ? 1 : 0;
  }
  if (share > 0 && parts.last.empty()) {
    const auto spare =
        std::find_if(parts.first.rbegin(), parts.first.rend(), [&](auto index) { return kept[label_of(index)] > 1; });
    require(spare != parts.first.rend(), "split: got ", labels.size(),
            " images, one for each class, expected at least 2 in some class to split off a part");
    parts.last.push_back(*spare);
    parts.first.erase(std::next(spare).base());
  }
  return {spread(labels, parts.first), spread(labels, parts.last)};
}

}  // namespace scdcf::data
