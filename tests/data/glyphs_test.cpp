#include "scdcf/data/glyphs.h"

#include "scdcf/data/scaled.h"
#include "support/expect_error.h"
#include "support/samples.h"

namespace scdcf::data {
namespace {

using testing::expect_error;

TEST(Glyphs, are_the_same_on_every_machine) { EXPECT_EQ(checksum(draw_glyphs(0, 500)), "1dbf8d62dca9176c"); }

TEST(Glyphs, each_depends_on_its_index_alone) {
  const auto all = draw_glyphs(0, 40), some = draw_glyphs(25, 15);
  EXPECT_EQ(files::Bytes(all.image(25), all.image(25) + 15 * 784), some.pixels);
  EXPECT_EQ(some.labels[0], 5);
  EXPECT_EQ(glyph(31).pixels, files::Bytes(all.image(31), all.image(31) + 784));
}

TEST(Glyphs, lie_in_a_box_about_the_centre_and_are_neither_faint_nor_full) {
  const auto set = draw_glyphs(0, 2000);
  for (std::int64_t i = 0; i < set.count(); ++i) {
    int ink = 0, left = 28, right = -1;
    for (int y = 0; y < 28; ++y)
      for (int x = 0; x < 28; ++x)
        if (set.image(i)[28 * y + x] > 0) {
          ++ink;
          left = std::min(left, x);
          right = std::max(right, x);
          ASSERT_GE(y, 1) << i;
          ASSERT_LT(y, 27) << i;
        }
    ASSERT_GT(ink, 20) << i;
    ASSERT_LT(ink, 350) << i;
    ASSERT_GE(left, 1) << i;
    ASSERT_LE(right, 26) << i;
  }
}

TEST(Glyphs, can_be_told_apart_but_not_by_a_mean_picture_alone) {
  const auto train = draw_glyphs(0, 2000), test = draw_glyphs(60000, 300);
  std::vector<double> means(10 * 784);
  for (std::int64_t i = 0; i < 2000; ++i)
    for (int p = 0; p < 784; ++p)
      means[static_cast<std::size_t>(784 * train.labels[i] + p)] += train.image(i)[p] / 200.0;
  const auto nearest = [&](const std::uint8_t* image, const auto& references, int count, auto label) {
    double best = 1e300;
    std::int32_t answer = -1;
    for (int r = 0; r < count; ++r) {
      double distance = 0;
      for (int p = 0; p < 784 && distance < best; ++p) {
        const double difference = image[p] - static_cast<double>(references[static_cast<std::size_t>(784 * r + p)]);
        distance += difference * difference;
      }
      if (distance < best) {
        best = distance;
        answer = label(r);
      }
    }
    return answer;
  };
  int by_mean = 0, by_neighbour = 0;
  for (std::int64_t i = 0; i < 300; ++i) {
    by_mean += nearest(test.image(i), means, 10, [](int r) { return r; }) == test.labels[i];
    by_neighbour +=
        nearest(test.image(i), train.pixels, 2000, [&](int r) { return train.labels[r]; }) == test.labels[i];
  }
  EXPECT_GT(by_mean, 150);
  EXPECT_LT(by_mean, 270);
  EXPECT_GT(by_neighbour, 240);
  EXPECT_LT(by_neighbour, 290);
}

TEST(Glyphs, refuse_what_is_no_digit) {
  Random random(1);
  expect_error([&] { draw_glyph(10, random); }, "digit", "got 10");
}

}  // namespace
}  // namespace scdcf::data
