#include "scdcf/data/scaled.h"

#include <algorithm>
#include <set>

#include "scdcf/data/fitted.h"
#include "support/expect_error.h"
#include "support/samples.h"

namespace scdcf::data {
namespace {

using testing::expect_error;

/// 1000 pictures of noise, so that each can be recognised.
const ImageSet& noise_set() {
  static const ImageSet set = [] {
    ImageSet noise;
    noise.height = noise.width = 12;
    noise.pixels = testing::random_bytes(1000 * 144, Random(11));
    for (int i = 0; i < 1000; ++i) noise.labels.push_back(i % 7 == 0 ? 1 : 0);
    noise.class_names = {"often", "rarely"};
    return noise;
  }();
  return set;
}

ScalingOptions small_split() {
  ScalingOptions options;
  options.train = 300;
  options.validation = 100;
  options.test = 500;
  return options;
}

files::Bytes picture(const ImageSet& set, std::int64_t i) { return {set.image(i), set.image(i) + set.image_bytes()}; }

TEST(Scaled, parts_have_their_sizes_and_proportions_and_share_nothing) {
  auto options = small_split();
  options.smallest_factor = 1;  // pictures as they are, so that they can be recognised
  const auto splits = make_scaled(pool_of(noise_set()), options);
  EXPECT_EQ(splits.train.count(), 300);
  EXPECT_EQ(splits.validation.count(), 100);
  EXPECT_EQ(splits.test.count(), 500);
  std::set<files::Bytes> pool, seen;
  for (std::int64_t i = 0; i < 1000; ++i) pool.insert(picture(noise_set(), i));
  for (const auto* part : {&splits.train, &splits.validation, &splits.test}) {
    EXPECT_NEAR(std::count(part->labels.begin(), part->labels.end(), 1), 0.143 * static_cast<double>(part->count()), 3);
    for (std::int64_t i = 0; i < part->count(); ++i) {
      EXPECT_EQ(pool.count(picture(*part, i)), 1U);
      EXPECT_TRUE(seen.insert(picture(*part, i)).second);
    }
  }
}

TEST(Scaled, each_picture_is_rescaled_by_its_factor) {
  const auto splits = make_scaled(pool_of(noise_set()), small_split());
  auto as_is = small_split();
  as_is.smallest_factor = as_is.largest_factor = 1;
  const auto originals = make_scaled(pool_of(noise_set()), as_is);  // the same split
  ASSERT_EQ(splits.train.scales.size(), 300U);
  double sum = 0;
  for (std::int64_t i = 0; i < 300; ++i) {
    const float factor = splits.train.scales[static_cast<std::size_t>(i)];
    ASSERT_GE(factor, 0.3F);
    ASSERT_LE(factor, 1.0F);
    sum += factor;
    const pixels::Image original{1, 12, 12, picture(originals.train, i)};
    const pixels::Image expected = pixels::rescale_about_centre(original, factor);  // the factor was rounded to a float
    for (std::size_t p = 0; p < 144; ++p) ASSERT_NEAR(picture(splits.train, i)[p], expected.pixels[p], 1);
  }
  EXPECT_NEAR(sum / 300, 0.65, 0.06);  // 5 deviations
}

TEST(Scaled, fewer_pictures_are_a_prefix) {
  const auto all = make_scaled(pool_of(noise_set()), small_split());
  auto options = small_split();
  options.keep_train = 50;
  options.keep_test = 60;
  const auto few = make_scaled(pool_of(noise_set()), options);
  EXPECT_EQ(checksum(few.train), checksum(prefix(all.train, 50)));
  EXPECT_EQ(checksum(few.test), checksum(prefix(all.test, 60)));
  EXPECT_EQ(few.train.scales, prefix(all.train, 50).scales);
  EXPECT_EQ(checksum(few.validation), checksum(all.validation));
  EXPECT_NEAR(std::count(few.train.labels.begin(), few.train.labels.end(), 1), 7, 2);
}

TEST(Scaled, the_large_picture_is_the_small_one_resized) {
  const auto small = make_scaled(pool_of(noise_set()), small_split());
  auto options = small_split();
  options.size = 24;
  const auto large = make_scaled(pool_of(noise_set()), options);
  EXPECT_EQ(checksum(large.test), checksum(fitted(small.test, pixels::Fit::crop, 24)));
}

TEST(Scaled, realisations_differ_in_split_and_factors) {
  auto options = small_split();
  const auto first = make_scaled(pool_of(noise_set()), options);
  options.realisation = 1;
  const auto second = make_scaled(pool_of(noise_set()), options);
  EXPECT_NE(checksum(first), checksum(second));
  EXPECT_NE(first.train.scales, second.train.scales);
}

TEST(Scaled, refuses_what_cannot_be) {
  const auto with = [](auto change) {
    return [=] {
      auto options = small_split();
      change(options);
      make_scaled(pool_of(noise_set()), options);
    };
  };
  expect_error(with([](auto& o) { o.test = 601; }), "300 + 100 + 601", "1000");
  expect_error(with([](auto& o) { o.keep_train = 301; }), "train_size", "got 301", "300");
  expect_error(with([](auto& o) { o.keep_test = -1; }), "test_size", "got -1");
  expect_error(with([](auto& o) { o.smallest_factor = 0; }), "factor", "got 0");
  expect_error(with([](auto& o) { o.smallest_factor = 2; }), "factor", "got 2");
  expect_error(with([](auto& o) { o.realisation = -1; }), "realisation", "got -1");
}

}  // namespace
}  // namespace scdcf::data
