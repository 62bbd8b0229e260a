#include "scdcf/data/large_scale.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "scdcf/data/datasets.h"
#include "scdcf/data/placed.h"
#include "support/expect_error.h"
#include "support/samples.h"

namespace scdcf::data {
namespace {

using testing::expect_error;

Splits glyph_large_scale(const LargeScaleOptions& options) {
  return make_large_scale(glyph_pool(0, 120), glyph_pool(120, 60), options);
}

/// Which of the first `count` glyphs from `begin` on each image shows, drawn anew at the size that the set states.
std::vector<std::int64_t> recognised_in_the_middle(const ImageSet& set, std::int64_t begin, std::int64_t count) {
  const auto pool = glyph_pool(begin, count);
  std::vector<std::int64_t> found;
  for (std::size_t i = 0; i < set.labels.size(); ++i) {
    std::int64_t glyph = (set.labels[i] + 10 - begin % 10) % 10;
    for (; glyph < count; glyph += 10) {
      const auto drawn = draw_placed(pool.image(glyph), 4.0 * set.scales[i], 56, 56, kLargeScaleSide);
      const auto* image = set.image(static_cast<std::int64_t>(i));
      const bool same = std::equal(drawn.pixels.begin(), drawn.pixels.end(), image,
                                   [](int a, int b) { return std::abs(a - b) <= 1; });  // the scale is a float
      if (same) break;
    }
    found.push_back(glyph);
  }
  return found;
}

TEST(LargeScale, trains_at_one_size_and_tests_at_seventeen) {
  LargeScaleOptions options;
  options.train_scale = 2;
  const auto splits = glyph_large_scale(options);
  EXPECT_EQ(splits.train.count(), 100);
  EXPECT_EQ(splits.validation.count(), 20);
  EXPECT_EQ(splits.test.count(), 6 * 17);
  for (const auto* part : {&splits.train, &splits.validation})
    for (const float scale : part->scales) EXPECT_EQ(scale, 0.5F);
  const auto train = recognised_in_the_middle(splits.train, 0, 120),
             validation = recognised_in_the_middle(splits.validation, 0, 120);
  std::set<std::int64_t> pictures(train.begin(), train.end());
  pictures.insert(validation.begin(), validation.end());
  EXPECT_EQ(pictures.size(), 120U) << "every official training picture once";
  EXPECT_EQ(*pictures.rbegin(), 119);

  std::set<std::pair<std::int64_t, float>> tested;
  const auto test = recognised_in_the_middle(splits.test, 120, 60);
  for (std::size_t i = 0; i < test.size(); ++i) {
    EXPECT_LT(test[i], 60) << "not an official test picture";
    tested.emplace(test[i], splits.test.scales[i]);
  }
  EXPECT_EQ(tested.size(), test.size()) << "each picture once at each size";
  ASSERT_EQ(splits.test.all_sizes.size(), 17U);
  EXPECT_EQ(splits.test.all_sizes.front().name, "s = 0.5");
  EXPECT_EQ(splits.test.all_sizes.back().name, "s = 8");
  for (const auto& size : splits.test.all_sizes)
    EXPECT_EQ(std::count(splits.test.scales.begin(), splits.test.scales.end(), size.scale), 6) << size.name;
}

TEST(LargeScale, a_test_scale_has_all_test_pictures_those_of_all_scales_first) {
  LargeScaleOptions options;
  const auto every = glyph_large_scale(options).test;
  options.test_scale = 2;
  const auto one = glyph_large_scale(options).test;
  EXPECT_EQ(one.count(), 60);
  ASSERT_EQ(one.all_sizes.size(), 1U);
  EXPECT_EQ(one.all_sizes[0].name, "s = 2");
  for (std::int64_t i = 0; i < every.count(); ++i) {
    if (every.scales[static_cast<std::size_t>(i)] != 0.5F) continue;
    bool found = false;
    for (std::int64_t k = 0; k < 6; ++k)
      found = found || std::equal(one.image(k), one.image(k) + one.image_bytes(), every.image(i));
    EXPECT_TRUE(found) << i;
  }
}

TEST(LargeScale, the_object_has_its_size_in_the_middle_of_exact_black) {
  Pool squares{{}, {"square"}, [](std::int64_t) {  // of 12 x 12 in the middle of 28 x 28
                 pixels::Image image{1, 28, 28, files::Bytes(784, 0)};
                 for (int y = 8; y < 20; ++y) std::fill_n(image.pixels.begin() + 28 * y + 8, 12, 255);
                 return image;
               }};
  squares.labels.assign(12, 0);
  const auto set = make_large_scale(squares, squares, {}).test;
  ASSERT_EQ(set.count(), 17);
  for (std::int64_t i = 0; i < set.count(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double factor = 4 * set.scales[k];
    EXPECT_EQ(set.centres[k].x, 56);
    EXPECT_EQ(set.centres[k].y, 56);
    double reach = 0;
    for (int y = 0; y < 112; ++y)
      for (int x = 0; x < 112; ++x) {
        const int value = set.image(i)[112 * y + x];
        const double away = std::max(std::abs(x - 55.5), std::abs(y - 55.5));
        ASSERT_TRUE(away <= 14 * factor || value == 0) << "s = " << factor << " at " << x << ", " << y;
        if (value >= 128) reach = std::max(reach, away + 0.5);
      }
    EXPECT_NEAR(reach, 6 * factor, 0.6) << "s = " << factor;
  }
}

TEST(LargeScale, the_realisation_determines_every_byte_and_fewer_images_are_a_prefix) {
  LargeScaleOptions options;
  const auto all = glyph_large_scale(options);
  EXPECT_EQ(checksum(all), checksum(glyph_large_scale(options)));
  options.keep_train = 31;
  options.keep_test = 50;
  const auto few = glyph_large_scale(options);
  EXPECT_EQ(checksum(few.train), checksum(prefix(all.train, 31)));
  EXPECT_EQ(checksum(few.test), checksum(prefix(all.test, 50)));
  for (int label = 0; label < 10; ++label)
    EXPECT_NEAR(std::count(few.train.labels.begin(), few.train.labels.end(), label), 3, 1);
  options.realisation = 1;
  EXPECT_NE(checksum(few.train), checksum(glyph_large_scale(options).train));
}

TEST(LargeScale, refuses_what_cannot_be) {
  const auto refused = [](auto change, const auto&... words) {
    DataOptions options;
    options.name = "glyphs-large-scale";
    options.train_size = options.validation_size = 1;
    change(options);
    expect_error([&] { load(options); }, words...);
  };
  refused([](auto& o) { o.train_scale = 0.4; }, "train_scale", "got 0.4", "0.5 to 8");
  refused([](auto& o) { o.train_scale = std::nan(""); }, "train_scale", "got nan");
  refused([](auto& o) { o.test_scale = 9; }, "test_scale", "got 9", "0.5 to 8, or 0");
  refused([](auto& o) { o.test_size = 17001; }, "test_size", "got 17001", "17000");
  refused([](auto& o) { o.test_scale = 1, o.test_size = 10001; }, "test_size", "got 10001", "10000");
  refused([](auto& o) { o.smallest_size = 20; }, "smallest_size", "only to the stir sets");
  refused([](auto& o) { o.validation_share = 0.5; }, "validation_share", "glyphs-large-scale");
  refused([](auto& o) { o.name = "stir-glyphs", o.train_scale = 2; }, "train_scale", "only to the large-scale sets");
  refused([](auto& o) { o.name = "sglyphs", o.test_scale = 2; }, "test_scale", "only to the large-scale sets");
  refused([](auto& o) { o.name = "sglyphs", o.largest_size = 32; }, "largest_size", "only to the stir sets");
  refused([](auto& o) { o.name = "stir-glyphs", o.largest_size = 65; }, "largest_size", "got 65", "17 to 64");
  refused([](auto& o) { o.name = "stir-glyphs", o.smallest_size = 40, o.largest_size = 30; }, "40 to 30");
  refused([](auto& o) { o.name = "stir-glyphs", o.smallest_factor = 0.5; }, "smallest_factor", "the scaled sets");
}

TEST(RealData, mnist_large_scale) {
  const auto place = testing::real_data("mnist/train-images-idx3-ubyte.gz");
  if (place.empty()) GTEST_SKIP() << "MNIST is not at hand";
  DataOptions options;
  options.name = "mnist-large-scale";
  options.data_dir = place;
  options.train_size = 2000;
  options.validation_size = 500;
  options.test_size = 1700;
  const auto splits = load(options);
  EXPECT_EQ(checksum(splits), "9f4b6ac6abb8d537");
  EXPECT_TRUE(splits.black_ground);
  options.train_size = 50001;
  expect_error([&] { load(options); }, "train_size", "got 50001", "50000");
}

}  // namespace
}  // namespace scdcf::data
