#include "scdcf/data/placed.h"

#include <cmath>
#include <map>
#include <set>

#include "scdcf/data/split.h"
#include "scdcf/pixels/resize.h"
#include "support/expect_error.h"
#include "support/samples.h"

namespace scdcf::data {
namespace {

using testing::expect_error;

std::uint8_t at(const pixels::Image& image, int x, int y) {
  return image.pixels[static_cast<std::size_t>(image.width) * y + x];
}

TEST(Placed, is_smoothed_and_thresholded_as_the_formula_says) {
  const pixels::Image noise{1, 12, 12, testing::random_bytes(144, Random(3))};
  const double factor = 1.5, deviation = 7.0 / 8 * factor;
  const int side = 40, reach = 4;  // 3 deviations
  const auto image = draw_placed(noise, factor, 20, 17, side);
  const auto enlarged = pixels::place(noise, factor, 20, 17, side);
  double total = 0;
  for (int d = -reach; d <= reach; ++d) total += std::exp(-d * d / (2 * deviation * deviation));
  const auto curve = [](double value) { return 2 / 3.14159265358979 * std::atan(0.02 * (value - 128)); };
  for (int y = reach; y < side - reach; ++y)
    for (int x = reach; x < side - reach; ++x) {
      double sum = 0;
      for (int i = -reach; i <= reach; ++i)
        for (int j = -reach; j <= reach; ++j)
          sum +=
              std::exp(-(i * i + j * j) / (2 * deviation * deviation)) / (total * total) * at(enlarged, x + j, y + i);
      ASSERT_NEAR(at(image, x, y), 255 * (curve(sum) - curve(0)) / (curve(255) - curve(0)), 0.6) << x << ", " << y;
    }
}

TEST(Placed, black_stays_0_and_white_255_and_grey_keeps_its_order) {
  EXPECT_EQ(draw_placed({1, 8, 8, files::Bytes(64, 0)}, 3, 10, 10, 20).pixels, files::Bytes(400, 0));
  int before = -1;
  for (int grey = 0; grey < 256; grey += 5) {
    const int now =
        at(draw_placed({1, 8, 8, files::Bytes(64, static_cast<std::uint8_t>(grey))}, 3, 10, 10, 20), 10, 10);
    EXPECT_GE(now, before);
    before = now;
  }
  EXPECT_EQ(before, 255);
}

TEST(Placed, the_border_cuts_the_object_and_does_not_darken_it) {
  const auto cut = draw_placed({1, 28, 28, files::Bytes(784, 255)}, 8, 56, 56, 112);
  EXPECT_EQ(cut.pixels, files::Bytes(112 * 112, 255));
}

TEST(Placed, a_set_knows_sizes_and_places) {
  ImageSet pictures;
  pictures.height = pictures.width = 8;
  pictures.labels = {1, 0};
  pictures.pixels = testing::random_bytes(128, Random(5));
  pictures.class_names = {"a", "b"};
  const auto set = draw_placed(pool_of(pictures), {{1, 2, 10, 11}, {0, 0.5, 20, 21}}, 32);
  EXPECT_EQ(set.labels, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(set.scales, (std::vector<float>{0.5F, 0.125F}));
  EXPECT_EQ(set.centres[1].x, 20);
  EXPECT_EQ(set.centres[1].y, 21);
  EXPECT_EQ(set.class_names, pictures.class_names);
  const auto first = draw_placed(pool_of(pictures).image(1), 2, 10, 11, 32);
  EXPECT_EQ(files::Bytes(set.image(0), set.image(0) + 1024), first.pixels);
  expect_error([] { draw_placed({3, 1, 1, files::Bytes(3)}, 1, 1, 1, 2); }, "3 channels", "expected 1");
}

TEST(AtEverySize, shows_each_picture_once_at_each_size) {
  for (const int sizes : {1, 2, 6, 16, 17, 48}) {
    std::set<std::pair<std::int64_t, int>> seen;
    const auto order = at_every_size({0, 1, 2, 0, 1, 2, 0}, sizes);
    EXPECT_EQ(order.size(), 7U * static_cast<std::size_t>(sizes));
    for (const auto& one : order) {
      ASSERT_TRUE(one.size >= 0 && one.size < sizes && one.picture >= 0 && one.picture < 7);
      EXPECT_TRUE(seen.emplace(one.picture, one.size).second);
    }
  }
  expect_error([] { at_every_size({0}, 0); }, "sizes", "got 0");
}

TEST(AtEverySize, every_prefix_has_its_share_of_each_class_and_size) {
  std::vector<std::int32_t> labels;
  for (int i = 0; i < 500; ++i) labels.push_back(i % 10);
  for (const int sizes : {16, 17, 48}) {
    const auto order = at_every_size(labels, sizes);
    std::map<std::int32_t, int> of_class;
    std::map<int, int> of_size;
    std::map<std::pair<std::int32_t, int>, int> of_both;
    for (std::size_t n = 1; n <= order.size(); ++n) {
      const auto& one = order[n - 1];
      const auto label = labels[static_cast<std::size_t>(one.picture)];
      ++of_class[label];
      ++of_size[one.size];
      ++of_both[{label, one.size}];
      const double rounds = std::ceil(static_cast<double>(n) / 500);
      ASSERT_NEAR(of_class[label], static_cast<double>(n) / 10, 1);
      ASSERT_NEAR(of_size[one.size], static_cast<double>(n) / sizes, 10) << n << " of " << sizes << " sizes";
      const double share = static_cast<double>(n) / (10 * sizes);
      ASSERT_NEAR((of_both[{label, one.size}]), share, rounds + 1) << n << " of " << sizes << " sizes";
    }
  }
}

}  // namespace
}  // namespace scdcf::data
