#include "scdcf/pixels/colour_map.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/expect_error.h"

namespace {

scdcf::pixels::Canvas blues(const std::vector<float>& values, int height, int width, float low, float high) {
  return scdcf::pixels::coloured(scdcf::pixels::ColourMap::blues, values, height, width, low, high);
}

/// The sum of the colours of pixel x in the first row.
int brightness(const scdcf::pixels::Canvas& canvas, int x) {
  int sum = 0;
  for (int c = 0; c < 3; ++c)
    sum += canvas.pixels()[static_cast<std::size_t>(c) * canvas.height() * canvas.width() + x];
  return sum;
}

TEST(ColouredPicture, is_white_at_the_low_end_and_darker_with_every_step) {
  std::vector<float> values;
  for (int i = 0; i <= 20; ++i) values.push_back(2 + 0.1F * static_cast<float>(i));
  const auto canvas = blues(values, 1, 21, 2, 4);
  EXPECT_EQ(brightness(canvas, 0), 3 * 255);
  for (int x = 1; x <= 20; ++x) EXPECT_LT(brightness(canvas, x), brightness(canvas, x - 1)) << x;
}

TEST(ColouredPicture, cuts_off_what_lies_outside_and_stands_what_is_no_number) {
  const auto canvas = blues({-5, 0, 1, 7, NAN}, 1, 5, 0, 1);
  EXPECT_EQ(brightness(canvas, 0), brightness(canvas, 1));
  EXPECT_EQ(brightness(canvas, 3), brightness(canvas, 2));
  EXPECT_EQ(brightness(canvas, 4), brightness(canvas, 1));
}

TEST(ColouredPicture, stands_an_empty_range_and_refuses_a_wrong_size) {
  EXPECT_EQ(brightness(blues({3, 3}, 1, 2, 3, 3), 1), 3 * 255);
  scdcf::testing::expect_error([] { blues({1, 2, 3}, 2, 2, 0, 1); }, "got 3 numbers, expected 2 x 2");
}

TEST(ColourMap, ends_are_reached_and_not_exceeded) {
  EXPECT_EQ(scdcf::pixels::colour_of(scdcf::pixels::ColourMap::grey, 0), (scdcf::pixels::Colour{0, 0, 0}));
  EXPECT_EQ(scdcf::pixels::colour_of(scdcf::pixels::ColourMap::grey, 1), (scdcf::pixels::Colour{255, 255, 255}));
  for (const auto map : {scdcf::pixels::ColourMap::grey, scdcf::pixels::ColourMap::viridis}) {
    EXPECT_EQ(scdcf::pixels::colour_of(map, -3), scdcf::pixels::colour_of(map, 0));
    EXPECT_EQ(scdcf::pixels::colour_of(map, 7), scdcf::pixels::colour_of(map, 1));
  }
}

TEST(ColourMap, viridis_grows_lighter_all_the_way) {
  double last = -1;
  for (int i = 0; i <= 100; ++i) {
    const auto colour = scdcf::pixels::colour_of(scdcf::pixels::ColourMap::viridis, i / 100.0);
    const double lightness = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2];
    EXPECT_GT(lightness, last) << i;
    last = lightness;
  }
}

}  // namespace
