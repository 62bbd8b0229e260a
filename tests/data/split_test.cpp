#include "scdcf/data/split.h"

#include <algorithm>

#include "scdcf/core/for_each.h"
#include "scdcf/data/normalisation.h"
#include "support/expect_error.h"
#include "support/samples.h"

namespace scdcf::data {
namespace {

using testing::expect_error;

/// Classes of very different sizes, in random order.
std::vector<std::int32_t> uneven_labels() {
  std::vector<std::int32_t> labels;
  const int sizes[] = {500, 3, 120, 77, 1000};
  for (int c = 0; c < 5; ++c) labels.insert(labels.end(), static_cast<std::size_t>(sizes[c]), c);
  Random(8).shuffle(labels);
  return labels;
}

TEST(StratifiedOrder, every_range_keeps_the_proportions) {
  const auto labels = uneven_labels();
  const auto order = stratified_order(labels, Random(9));
  const auto total = static_cast<std::ptrdiff_t>(labels.size());
  ASSERT_EQ(order.size(), labels.size());
  for (std::int32_t label = 0; label < 5; ++label) {
    const double share =
        static_cast<double>(std::count(labels.begin(), labels.end(), label)) / static_cast<double>(total);
    std::vector<int> before = {0};
    for (const auto index : order) before.push_back(before.back() + (labels[static_cast<std::size_t>(index)] == label));
    for (std::size_t begin = 0; begin <= order.size(); begin += 37)
      for (std::size_t end = begin; end <= order.size(); end += 41)
        ASSERT_NEAR(before[end] - before[begin], share * static_cast<double>(end - begin), 3) << begin << " " << end;
  }
}

TEST(StratifiedOrder, has_every_index_once_and_follows_the_seed) {
  const auto labels = uneven_labels();
  auto order = stratified_order(labels, Random(9));
  EXPECT_EQ(order, stratified_order(labels, Random(9)));
  EXPECT_NE(order, stratified_order(labels, Random(10)));
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], static_cast<std::int64_t>(i));
}

ImageSet numbered(int count) {
  ImageSet set;
  set.height = set.width = 1;
  for (int i = 0; i < count; ++i) {
    set.pixels.push_back(static_cast<std::uint8_t>(i));
    set.labels.push_back(i % 3);
    set.scales.push_back(static_cast<float>(i));
  }
  return set;
}

TEST(SplitOff, parts_are_disjoint_and_keep_what_belongs_together) {
  const auto [first, last] = split_off(numbered(120), 1.0 / 12, Random(1));
  EXPECT_EQ(first.count(), 110);
  EXPECT_EQ(last.count(), 10);
  std::vector<bool> seen(120);
  for (const auto* part : {&first, &last})
    for (std::int64_t i = 0; i < part->count(); ++i) {
      const auto number = part->image(i)[0];
      EXPECT_FALSE(seen[number]);
      seen[number] = true;
      EXPECT_EQ(part->labels[static_cast<std::size_t>(i)], number % 3);
      EXPECT_EQ(part->scales[static_cast<std::size_t>(i)], number);
    }
  EXPECT_EQ(split_off(numbered(3), 0.01, Random(1)).last.count(), 1);
  EXPECT_EQ(split_off(numbered(3), 0.0, Random(1)).last.count(), 0);
  expect_error([] { split_off(numbered(1), 0.5, Random(1)); }, "split", "1 pictures");
  expect_error([] { split_off(numbered(4), 1.0, Random(1)); }, "share", "got 1");
}

TEST(SplitByName, other_pictures_do_not_matter) {
  std::vector<std::string> names;
  std::vector<std::int32_t> labels;
  for (int i = 0; i < 3000; ++i) {
    labels.push_back(i % 3);
    names.push_back("class" + std::to_string(i % 3) + "/" + std::to_string(i) + ".png");
  }
  const auto whole = split_by_name(labels, names, 0.2, 5, 12);
  EXPECT_NEAR(static_cast<double>(whole.last.size()), 600, 90);  // four deviations
  EXPECT_EQ(whole.first.size() + whole.last.size(), 3000U);
  std::vector<std::string> last;
  for (const auto index : whole.last) last.push_back(names[static_cast<std::size_t>(index)]);
  std::sort(last.begin(), last.end());
  // every second goes, the others stay where they are
  std::vector<std::string> fewer_names, expected, got;
  std::vector<std::int32_t> fewer_labels;
  for (std::size_t i = 0; i < names.size(); i += 2) {
    fewer_names.push_back(names[i]);
    fewer_labels.push_back(labels[i]);
    if (std::binary_search(last.begin(), last.end(), names[i])) expected.push_back(names[i]);
  }
  for (const auto index : split_by_name(fewer_labels, fewer_names, 0.2, 5, 12).last)
    got.push_back(fewer_names[static_cast<std::size_t>(index)]);
  std::sort(expected.begin(), expected.end());
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got, expected);
  EXPECT_NE(split_by_name(labels, names, 0.2, 6, 12).last, whole.last) << "another realisation, another split";
  EXPECT_NE(split_by_name(labels, names, 0.2, 5, 11).last, whole.last);
}

TEST(SplitByName, leaves_every_class_something_and_splits_off_something) {
  const std::vector<std::int32_t> labels = {0, 0, 1};
  const std::vector<std::string> names = {"a/1", "a/2", "b/1"};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(split_by_name(labels, names, 0.01, seed, 1).last.size(), 1U);
    const auto parts = split_by_name(labels, names, 0.99, seed, 1);
    EXPECT_EQ(parts.last.size(), 1U);
    EXPECT_NE(parts.last[0], 2) << "the only one of its class";
    EXPECT_TRUE(split_by_name(labels, names, 0, seed, 1).last.empty());
  }
  expect_error([] { split_by_name({0, 1}, {"a", "b"}, 0.5, 1, 1); }, "split", "2 images", "one for each class");
  expect_error([] { split_by_name({0, 0}, {"a"}, 0.5, 1, 1); }, "1 names", "2 pictures");
}

TEST(Prefix, is_the_first_pictures) {
  const auto part = prefix(numbered(10), 4);
  EXPECT_EQ(part.pixels, (files::Bytes{0, 1, 2, 3}));
  EXPECT_EQ(part.scales.size(), 4U);
  EXPECT_EQ(prefix(numbered(10), 0).count(), 10);
  expect_error([] { prefix(numbered(10), 11); }, "got 11", "0 to 10");
  expect_error([] { prefix(numbered(10), -1); }, "got -1");
}

TEST(Checksum, is_fnv1a_and_sees_sizes_pixels_and_labels) {
  EXPECT_EQ(checksum(numbered(2)), checksum(numbered(2)));
  auto pixel = numbered(2), label = numbered(2), shape = numbered(2);
  pixel.pixels[1] ^= 1;
  label.labels[1] = 2;
  shape.channels = 2;
  for (const auto& other : {pixel, label, shape}) EXPECT_NE(checksum(other), checksum(numbered(2)));
  // FNV-1a of 32 zero bytes, by the definition
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (int i = 0; i < 32; ++i) hash *= 0x100000001B3U;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  ImageSet empty;
  empty.channels = 0;
  EXPECT_EQ(checksum(empty), text);
}

TEST(Normalisation, is_mean_and_deviation_per_channel) {
  ImageSet set;
  set.channels = 2;
  set.height = 1;
  set.width = 2;
  set.labels = {0, 0};
  set.pixels = {0, 255, 51, 51, 255, 0, 51, 51};
  const auto statistics = channel_statistics(set);
  EXPECT_DOUBLE_EQ(statistics.mean[0], 0.5);
  EXPECT_DOUBLE_EQ(statistics.deviation[0], 0.5);
  EXPECT_DOUBLE_EQ(statistics.mean[1], 0.2);
  EXPECT_DOUBLE_EQ(statistics.deviation[1], 1.0);  // constant
  expect_error([] { channel_statistics(ImageSet{}); }, "empty");
}

}  // namespace
}  // namespace scdcf::data
