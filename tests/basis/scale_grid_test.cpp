#include "scdcf/basis/scale_grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "support/expect_error.h"

namespace scdcf::basis {
namespace {

TEST(ScaleGrid, widths_are_a_geometric_progression) {
  const ScaleGrid grid(5, 0.25, 5);
  EXPECT_DOUBLE_EQ(grid.width(0), 5);
  EXPECT_DOUBLE_EQ(grid.width(4), 10);
  for (int s = 0; s + 1 < 5; ++s) EXPECT_NEAR(std::log2(grid.width(s + 1) / grid.width(s)), 0.25, 1e-14);
}

TEST(ScaleGrid, spans_the_octaves_between_its_ends) {
  EXPECT_DOUBLE_EQ(ScaleGrid(9, 0.25, 6).octaves(), 2);
  EXPECT_DOUBLE_EQ(ScaleGrid(1, 0.25, 6).octaves(), 0);
}

TEST(ScaleGrid, ending_at_fixes_the_coarsest_width) {
  const auto grid = ScaleGrid::ending_at(7, 1.0 / 3, 20);
  EXPECT_EQ(grid.count(), 7);
  EXPECT_EQ(grid.step(), 1.0 / 3);
  EXPECT_NEAR(grid.width(6), 20, 1e-12);
  EXPECT_NEAR(grid.finest_width(), 5, 1e-12);
}

TEST(ScaleGrid, equality_compares_every_number) {
  const ScaleGrid grid(5, 0.25, 5);
  EXPECT_TRUE(grid == ScaleGrid(5, 0.25, 5));
  EXPECT_FALSE(grid == ScaleGrid(4, 0.25, 5));
  EXPECT_FALSE(grid == ScaleGrid(5, 0.5, 5));
  EXPECT_FALSE(grid == ScaleGrid(5, 0.25, 6));
}

TEST(ScaleGrid, bad_numbers_fail_by_name) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const int count : {0, -1, 1025})
    testing::expect_error([&] { ScaleGrid(count, 0.25, 5); }, "count", std::to_string(count).c_str());
  for (const double step : {0.0, -0.25, std::nan(""), infinity})
    testing::expect_error([&] { ScaleGrid(3, step, 5); }, "step");
  for (const double width : {0.0, -5.0, std::nan(""), infinity})
    testing::expect_error([&] { ScaleGrid(3, 0.25, width); }, "finest_width");
  testing::expect_error([] { ScaleGrid(20, 1, 5); }, "coarsest width", "4096");
}

TEST(ScaleGrid, bad_numbers_for_ending_at_fail_by_name) {
  testing::expect_error([] { ScaleGrid::ending_at(0, 0.25, 10); }, "count");
  testing::expect_error([] { ScaleGrid::ending_at(3, std::nan(""), 10); }, "step");
  for (const double width : {0.0, -10.0, std::nan("")})
    testing::expect_error([&] { ScaleGrid::ending_at(3, 0.25, width); }, "coarsest_width");
}

}  // namespace
}  // namespace scdcf::basis
