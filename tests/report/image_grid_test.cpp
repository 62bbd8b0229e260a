#include "scdcf/report/image_grid.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace scdcf::report {
namespace {

using testing::expect_error;

/// How many pixels of a picture have this colour.
long count_of(const pixels::Canvas& canvas, pixels::Colour colour) {
  const auto& pixels = canvas.pixels();
  const auto area = pixels.size() / 3;
  long found = 0;
  for (size_t i = 0; i < area; ++i)
    found += pixels[i] == colour[0] && pixels[area + i] == colour[1] && pixels[2 * area + i] == colour[2];
  return found;
}

ImageGrid two_maps() {
  ImageGrid grid;
  grid.columns = {"left", "right"};
  grid.rows = {{"row", {{1, 1, {0.0F}}, {1, 1, {1.0F}}}, {}, {}}};
  grid.map_pixels = 100;
  return grid;
}

TEST(ImageGridTest, a_map_covers_its_square_in_the_colour_of_its_value) {
  const auto canvas = draw(two_maps());
  EXPECT_GE(count_of(canvas, pixels::colour_of(pixels::ColourMap::viridis, 0)), 100 * 100);
  EXPECT_GE(count_of(canvas, pixels::colour_of(pixels::ColourMap::viridis, 1)), 100 * 100);
}

TEST(ImageGridTest, a_given_range_decides_the_colours_and_cuts_off) {
  auto grid = two_maps();
  grid.range = ValueRange{-1, 0.5};
  const auto canvas = draw(grid);
  EXPECT_GE(count_of(canvas, pixels::colour_of(pixels::ColourMap::viridis, 2.0 / 3)), 100 * 100) << "0 in [-1, 0.5]";
  EXPECT_GE(count_of(canvas, pixels::colour_of(pixels::ColourMap::viridis, 1)), 100 * 100) << "1 is beyond";
}

TEST(ImageGridTest, a_row_may_have_its_own_range) {
  auto grid = two_maps();
  grid.rows.push_back({"own", {{1, 1, {10.0F}}}, {}, ValueRange{0, 20}});
  EXPECT_GE(count_of(draw(grid), pixels::colour_of(pixels::ColourMap::viridis, 0.5)), 100 * 100);
}

TEST(ImageGridTest, long_labels_widen_the_picture_instead_of_overlapping) {
  auto grid = two_maps();
  const int before = draw(grid).width();
  grid.rows[0].captions = {"", std::string(40, 'W')};
  EXPECT_GE(draw(grid).width(), before + 40 * 6);
}

TEST(ImageGridTest, as_svg_keeps_its_text_and_the_size_of_the_picture) {
  auto grid = two_maps();
  grid.title = "a < b";
  grid.rows[0].captions = {"", "error 0.03"};
  const auto svg = to_svg(grid);
  EXPECT_NE(svg.find(">a &lt; b</text>"), std::string::npos);
  EXPECT_NE(svg.find("text-anchor=\"middle\">error 0.03</text>"), std::string::npos);
  EXPECT_NE(svg.find("width=\"" + std::to_string(draw(grid).width()) + "\""), std::string::npos);
  EXPECT_NE(svg.find("data:image/png;base64,"), std::string::npos);
}

TEST(ImageGridTest, refuses_what_does_not_fit) {
  auto grid = two_maps();
  grid.rows[0].maps[0].width = 2;
  expect_error([&] { draw(grid); }, "row", "1 numbers", "1x2");
  grid = two_maps();
  grid.columns.pop_back();
  expect_error([&] { draw(grid); }, "row", "2 maps", "at most 1");
}

}  // namespace
}  // namespace scdcf::report
