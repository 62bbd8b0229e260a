#include "scdcf/data/stir.h"

#include <map>

#include "scdcf/core/error.h"
#include "scdcf/core/for_each.h"
#include "scdcf/data/placed.h"
#include "scdcf/data/random.h"
#include "scdcf/data/split.h"

namespace scdcf::data {
namespace {

enum Stream : std::uint64_t { train_stream = 21, test_stream = 22, train_place_stream = 23, test_place_stream = 24 };

/// The first `count` of each class in a stratified order of the pool, then the next `count`, and so on: `parts` lists.
std::vector<std::vector<std::int64_t>> drawn(const Pool& pool, std::size_t parts, std::int64_t count, Random random,
                                             const char* which) {
  std::vector<std::vector<std::int64_t>> lists(parts);
  std::map<std::int32_t, std::int64_t> seen;
  for (const auto index : stratified_order(pool.labels, random)) {
    const auto part = static_cast<std::size_t>(seen[pool.labels[static_cast<std::size_t>(index)]]++ / count);
    if (part < parts) lists[part].push_back(index);
  }
  for (std::size_t label = 0; label < pool.class_names.size(); ++label) {
    const auto available = seen[static_cast<std::int32_t>(label)], needed = count * static_cast<std::int64_t>(parts);
    require(available >= needed, "stir: got ", available, " ", which, " pictures of class ", pool.class_names[label],
            ", expected at least ", needed);
  }
  return lists;
}

/// Where each picture comes from and where it goes.
struct Part {
  const char* keep_option;
  std::int64_t keep;
  int smallest, largest;
  Stream places;
};

ImageSet draw(const Pool& pool, const std::vector<std::int64_t>& pictures, const Part& part, std::uint64_t seed) {
  // Fetched once, for each is shown at many sizes, and a glyph takes longer to draw than to enlarge.
  std::vector<pixels::Image> images(pictures.size());
  for_each(static_cast<std::int64_t>(pictures.size()), cores(), [&](std::int64_t i) {
    images[static_cast<std::size_t>(i)] = pool.image(pictures[static_cast<std::size_t>(i)]);
  });
  Pool chosen{{}, pool.class_names, [&](std::int64_t i) { return images[static_cast<std::size_t>(i)]; }};
  for (const auto index : pictures) chosen.labels.push_back(pool.labels[static_cast<std::size_t>(index)]);
  auto order = at_every_size(chosen.labels, part.largest - part.smallest + 1);
  order.resize(static_cast<std::size_t>(kept(part.keep_option, part.keep, static_cast<std::int64_t>(order.size()))));
  const double own_side = images.front().width;
  std::vector<Placed> placed;
  for (const auto& [picture, step] : order) {
    const int size = part.smallest + step;
    const auto index = pictures[static_cast<std::size_t>(picture)];
    Random random(seed, part.places, static_cast<std::uint64_t>(index * kStirSide + size - 1));
    const int starts = kStirSide - size + 1;
    const auto start = [&] { return static_cast<double>(random.below(static_cast<std::uint64_t>(starts))); };
    const double left = start(), top = start();
    placed.push_back({picture, size / own_side, left + size / 2.0, top + size / 2.0});
  }
  auto set = draw_placed(chosen, placed, kStirSide);
  for (int size = part.smallest; size <= part.largest; ++size)
    set.all_sizes.push_back({static_cast<float>(size) / kStirSide, std::to_string(size) + " px"});
  return set;
}

}  // namespace

Splits make_stir(const Pool& train, const Pool& test, const StirOptions& options) {
  require(options.smallest_size >= kStirSmallest && options.smallest_size <= options.largest_size &&
              options.largest_size <= kStirLargest,
          "smallest_size: got ", options.smallest_size, " to ", options.largest_size, " pixels, expected ",
          kStirSmallest, " <= smallest_size <= largest_size <= ", kStirLargest);
  require(options.per_class > 0, "per_class: got ", options.per_class, ", expected at least 1");
  const auto seed = options.seed();
  const auto training = drawn(train, 2, options.per_class, Random(seed, train_stream), "training");
  const auto tested = drawn(test, 1, options.per_class, Random(seed, test_stream), "test");
  const int smallest = options.smallest_size, largest = options.largest_size;
  Splits splits;
  splits.train =
      draw(train, training[0], {"train_size", options.keep_train, smallest, largest, train_place_stream}, seed);
  splits.validation = draw(train, training[1],
                           {"validation_size", options.keep_validation, smallest, largest, train_place_stream}, seed);
  splits.test =
      draw(test, tested[0], {"test_size", options.keep_test, kStirSmallest, kStirLargest, test_place_stream}, seed);
  return splits;
}

}  // namespace scdcf::data
