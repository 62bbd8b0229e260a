#include "scdcf/data/stir.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "scdcf/data/datasets.h"
#include "scdcf/data/placed.h"
#include "support/expect_error.h"
#include "support/samples.h"

namespace scdcf::data {
namespace {

using testing::expect_error;

StirOptions few(int smallest = 17, int largest = 64) {
  StirOptions options;
  options.smallest_size = smallest;
  options.largest_size = largest;
  options.per_class = 2;
  return options;
}

Splits glyph_stir(const StirOptions& options) { return make_stir(glyph_pool(0, 400), glyph_pool(400, 100), options); }

/// The glyphs among the first `count` from `begin` on that a set shows, one for each image: drawn anew with the size
/// and place that the set states, they give the same bytes.
std::vector<std::int64_t> recognised(const ImageSet& set, std::int64_t begin, std::int64_t count) {
  const auto pool = glyph_pool(begin, count);
  std::vector<std::int64_t> found;
  for (std::size_t i = 0; i < set.labels.size(); ++i) {
    const double size = std::round(set.scales[i] * kStirSide);
    std::int64_t glyph = set.labels[i];  // the label of a glyph is its index mod 10
    for (; glyph < count; glyph += 10) {
      const auto drawn = draw_placed(pool.image(glyph), size / 28, set.centres[i].x, set.centres[i].y, kStirSide);
      if (std::equal(drawn.pixels.begin(), drawn.pixels.end(), set.image(static_cast<std::int64_t>(i)))) break;
    }
    found.push_back(glyph);
  }
  return found;
}

TEST(Stir, shows_each_picture_at_every_size_and_no_picture_in_two_parts) {
  const auto splits = glyph_stir(few(33, 36));
  EXPECT_EQ(splits.train.count(), 2 * 10 * 4);
  EXPECT_EQ(splits.validation.count(), 2 * 10 * 4);
  EXPECT_EQ(splits.test.count(), 2 * 10 * 48) << "tested at all sizes, whatever was trained on";
  std::set<std::int64_t> pictures[3];
  int part = 0;
  for (const auto* set : {&splits.train, &splits.validation, &splits.test}) {
    const auto found = part == 2 ? recognised(*set, 400, 100) : recognised(*set, 0, 400);
    std::map<std::int64_t, std::set<float>> sizes;
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_LT(found[i], part == 2 ? 100 : 400) << "not a picture of its pool";
      EXPECT_TRUE(sizes[found[i]].insert(set->scales[i]).second);
      pictures[part].insert(found[i] + (part == 2 ? 400 : 0));
    }
    EXPECT_EQ(sizes.size(), 20U);
    for (const auto& [picture, seen] : sizes) {
      EXPECT_EQ(seen.size(), part == 2 ? 48U : 4U);
      EXPECT_EQ(*seen.begin(), (part == 2 ? 17.0F : 33.0F) / 64);
      EXPECT_EQ(*seen.rbegin(), (part == 2 ? 64.0F : 36.0F) / 64);
    }
    ++part;
  }
  for (const auto picture : pictures[0]) EXPECT_EQ(pictures[1].count(picture), 0U);
  EXPECT_GE(*pictures[2].begin(), 400) << "test pictures are official ones";
}

/// A white square of 20 x 20 in the middle of 28 x 28, as often as asked for.
Pool squares(int count) {
  Pool pool{{}, {"square", "another"}, [](std::int64_t) {
              pixels::Image image{1, 28, 28, files::Bytes(784, 0)};
              for (int y = 4; y < 24; ++y) std::fill_n(image.pixels.begin() + 28 * y + 4, 20, 255);
              return image;
            }};
  for (int i = 0; i < count; ++i) pool.labels.push_back(i % 2);
  return pool;
}

TEST(Stir, the_object_lies_in_its_box_on_exact_black) {
  const auto set = make_stir(squares(8), squares(4), few()).test;
  ASSERT_EQ(set.count(), 4 * 48);
  for (std::int64_t i = 0; i < set.count(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const float size = set.scales[k] * kStirSide, half = size / 2;
    const auto [centre_x, centre_y] = set.centres[k];
    for (const float centre : {centre_x, centre_y}) ASSERT_TRUE(centre >= half && centre <= kStirSide - half);
    float left = 64, right = 0, top = 64, bottom = 0;
    for (int y = 0; y < kStirSide; ++y)
      for (int x = 0; x < kStirSide; ++x) {
        const int value = set.image(i)[y * kStirSide + x];
        const float from_left = static_cast<float>(x) + 0.5F, from_top = static_cast<float>(y) + 0.5F;
        const float away = std::max(std::abs(from_left - centre_x), std::abs(from_top - centre_y));
        ASSERT_TRUE(away <= half || value == 0) << "size " << size << " at " << x << ", " << y;
        if (value < 128) continue;
        left = std::min(left, from_left - 0.5F);
        right = std::max(right, from_left + 0.5F);
        top = std::min(top, from_top - 0.5F);
        bottom = std::max(bottom, from_top + 0.5F);
      }
    EXPECT_NEAR(right - left, size * 20 / 28, 1) << size;
    EXPECT_NEAR(bottom - top, size * 20 / 28, 1) << size;
    EXPECT_NEAR((left + right) / 2, centre_x, 0.51) << size;
    EXPECT_NEAR((top + bottom) / 2, centre_y, 0.51) << size;
  }
}

TEST(Stir, places_are_everywhere) {
  const auto set = glyph_stir(few()).test;
  double x = 0, y = 0;
  for (const auto& centre : set.centres) {
    x += centre.x / static_cast<double>(set.count());
    y += centre.y / static_cast<double>(set.count());
  }
  EXPECT_NEAR(x, 32, 1.6);  // five deviations of a mean of 960
  EXPECT_NEAR(y, 32, 1.6);
  bool corners[2][2] = {};
  for (std::size_t i = 0; i < set.scales.size(); ++i)
    if (set.scales[i] < 0.4F) corners[set.centres[i].x < 32 ? 0 : 1][set.centres[i].y < 32 ? 0 : 1] = true;
  EXPECT_TRUE(corners[0][0] && corners[0][1] && corners[1][0] && corners[1][1]);
}

TEST(Stir, the_realisation_determines_every_byte) {
  auto options = few(20, 24);
  const auto first = glyph_stir(options), again = glyph_stir(options);
  EXPECT_EQ(checksum(first), checksum(again));
  auto other = options;
  other.realisation = 1;
  EXPECT_NE(checksum(first.train), checksum(glyph_stir(other).train));
  EXPECT_NE(checksum(first.test), checksum(glyph_stir(other).test));
  auto wider = options;
  wider.largest_size = 64;
  EXPECT_EQ(checksum(first.test), checksum(glyph_stir(wider).test)) << "the sizes of training do not change the test";
}

TEST(Stir, fewer_images_are_a_prefix_with_its_share_of_classes_and_sizes) {
  auto options = few(17, 32);
  const auto all = glyph_stir(options);
  options.keep_train = 70;
  options.keep_validation = 3;
  options.keep_test = 480;
  const auto cut = glyph_stir(options);
  EXPECT_EQ(checksum(cut.train), checksum(prefix(all.train, 70)));
  EXPECT_EQ(checksum(cut.validation), checksum(prefix(all.validation, 3)));
  EXPECT_EQ(checksum(cut.test), checksum(prefix(all.test, 480)));
  EXPECT_EQ(cut.test.all_sizes.size(), 48U);
  EXPECT_EQ(prefix(all.test, 480).centres.size(), 480U);
  for (int label = 0; label < 10; ++label)
    EXPECT_EQ(std::count(cut.test.labels.begin(), cut.test.labels.end(), label), 48);
  for (const auto& size : cut.test.all_sizes)
    EXPECT_NEAR(std::count(cut.test.scales.begin(), cut.test.scales.end(), size.scale), 10, 9) << size.name;
}

TEST(Stir, refuses_what_cannot_be) {
  const auto with = [](auto change) {
    return [=] {
      auto options = few();
      change(options);
      glyph_stir(options);
    };
  };
  expect_error(with([](auto& o) { o.smallest_size = 16; }), "smallest_size", "16 to 64", "17");
  expect_error(with([](auto& o) { o.largest_size = 65; }), "17 to 65", "64");
  expect_error(with([](auto& o) { o.smallest_size = 40, o.largest_size = 39; }), "40 to 39");
  expect_error(with([](auto& o) { o.per_class = 21; }), "40 training pictures of class 0", "expected at least 42");
  expect_error(with([](auto& o) { o.per_class = 11; }), "10 test pictures of class 0", "expected at least 11");
  expect_error(with([](auto& o) { o.keep_test = 961; }), "test_size", "got 961", "960");
  expect_error(with([](auto& o) { o.realisation = -1; }), "realisation", "got -1");
}

TEST(Stir, is_loaded_by_name) {
  DataOptions options;
  options.name = "stir-glyphs";
  options.smallest_size = 33;
  options.largest_size = 48;
  options.validation_size = options.test_size = 100;
  const auto splits = load(options);
  EXPECT_EQ(splits.name, "stir-glyphs");
  EXPECT_EQ(splits.train.count(), 500 * 16);
  EXPECT_EQ(splits.train.width, 64);
  EXPECT_TRUE(splits.black_ground);
  EXPECT_GT(splits.deviation[0], 0);
  EXPECT_EQ(checksum(splits.test), "ba1913972333dedb") << "the same on every machine";
  options.train_size = 50;
  options.size = 32;
  const auto half = load(options);
  EXPECT_EQ(half.train.width, 32);
  EXPECT_EQ(half.train.scales[7], splits.train.scales[7]);
  EXPECT_EQ(half.train.centres[7].x, splits.train.centres[7].x / 2);
}

TEST(RealData, stir) {
  using NameAndSum = std::pair<const char*, const char*>;
  for (const auto& [name, sum] : {NameAndSum{"mnist", "726a291abf253377"}, {"fashion", "d2a8765089c7973b"}}) {
    const std::string folder = std::string(name) == "mnist" ? "mnist" : "fashion-mnist";
    const auto place = testing::real_data(folder + "/train-images-idx3-ubyte.gz");
    if (place.empty()) GTEST_SKIP() << name << " is not at hand";
    DataOptions options;
    options.name = std::string("stir-") + name;
    options.data_dir = place;
    options.smallest_size = 49;
    const auto splits = load(options);
    EXPECT_EQ(splits.train.count(), 8000);
    EXPECT_EQ(splits.validation.count(), 8000);
    EXPECT_EQ(splits.test.count(), 24000);
    for (int label = 0; label < 10; ++label)
      EXPECT_EQ(std::count(splits.test.labels.begin(), splits.test.labels.end(), label), 2400);
    EXPECT_EQ(checksum(splits), sum);
#ifdef __SANITIZE_ADDRESS__
    break;  // every line was run, and the second set would take a minute
#endif
  }
}

}  // namespace
}  // namespace scdcf::data
