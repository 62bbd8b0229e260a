#include "scdcf/pixels/colour_map.h"

#include <gtest/gtest.h>

#include <cmath>

namespace {

TEST(ColourMap, ends_are_reached_and_not_exceeded) {
  EXPECT_EQ(scdcf::pixels::colour_of(scdcf::pixels::ColourMap::grey, 0), (scdcf::pixels::Colour{0, 0, 0}));
  EXPECT_EQ(scdcf::pixels::colour_of(scdcf::pixels::ColourMap::grey, 1), (scdcf::pixels::Colour{255, 255, 255}));
  for (const auto map : {scdcf::pixels::ColourMap::grey, scdcf::pixels::ColourMap::viridis}) {
    EXPECT_EQ(scdcf::pixels::colour_of(map, -3), scdcf::pixels::colour_of(map, 0));
    EXPECT_EQ(scdcf::pixels::colour_of(map, 7), scdcf::pixels::colour_of(map, 1));
    EXPECT_EQ(scdcf::pixels::colour_of(map, NAN), scdcf::pixels::colour_of(map, 0)) << "no number";
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
