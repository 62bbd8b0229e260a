#include "scdcf/data/contact_sheet.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/expect_error.h"

namespace scdcf::data {
namespace {

using testing::expect_error;

/// Pictures of one value each, 10 + index, of classes 0, 1, 2, 0, 1, 2, ...
ImageSet example(int count, int channels = 1, int side = 64) {
  ImageSet set;
  set.channels = channels;
  set.height = set.width = side;
  for (int i = 0; i < count; ++i) {
    set.labels.push_back(i % 3);
    set.pixels.insert(set.pixels.end(), static_cast<std::size_t>(set.image_bytes()), static_cast<std::uint8_t>(10 + i));
  }
  set.class_names = {"zero", "one", "two"};
  return set;
}

std::int64_t count_of(const pixels::Canvas& sheet, int value) {
  return std::count(sheet.pixels().begin(), sheet.pixels().end(), static_cast<std::uint8_t>(value));
}

TEST(ContactSheet, every_class_has_its_first_pictures_in_a_row) {
  const auto sheet = contact_sheet(example(30), {6, 0, ""});
  for (int i = 0; i < 30; ++i) EXPECT_EQ(count_of(sheet, 10 + i), i < 6 ? 64 * 64 : 0) << i;
  // Row 1 is class 1: in it, left to right, pictures 1 and 4.
  const auto* row = sheet.pixels().data() + (10 + 64 + 4 + 5) * sheet.width();
  EXPECT_LT(std::find(row, row + sheet.width(), 11), std::find(row, row + sheet.width(), 14));
  EXPECT_EQ(std::find(row, row + sheet.width(), 10), row + sheet.width());
}

TEST(ContactSheet, a_grid_keeps_the_order_of_the_set) {
  const auto sheet = contact_sheet(example(5), {4, 2, ""});
  EXPECT_EQ(sheet.width(), 10 + 64 + 4 + 64 + 10);
  EXPECT_EQ(sheet.height(), sheet.width());
  const auto at = [&](int x, int y) { return sheet.pixels()[static_cast<std::size_t>(y * sheet.width() + x)]; };
  EXPECT_EQ(at(20, 20), 10);
  EXPECT_EQ(at(100, 20), 11);
  EXPECT_EQ(at(20, 100), 12);
  EXPECT_EQ(at(100, 100), 13);
  EXPECT_GT(at(76, 20), 200) << "a light gap between two pictures";
}

TEST(ContactSheet, small_pictures_are_enlarged_and_colours_kept) {
  auto set = example(1, 3, 16);
  std::fill_n(set.pixels.begin() + 256, 256, 99);
  const auto sheet = contact_sheet(set, {1, 1, ""});
  EXPECT_EQ(sheet.channels(), 3);
  EXPECT_EQ(count_of(sheet, 10), 2 * 64 * 64);
  EXPECT_EQ(count_of(sheet, 99), 64 * 64);
}

TEST(ContactSheet, a_title_is_never_cut_off) {
  const auto plain = contact_sheet(example(1), {1, 1, ""});
  const auto titled = contact_sheet(example(1), {1, 1, "a title that is longer than one picture"});
  EXPECT_GT(titled.height(), plain.height());
  EXPECT_GE(titled.width(), 39 * 12);
}

TEST(ContactSheet, more_classes_than_pictures_and_unnamed_classes_are_shown_all_the_same) {
  auto set = example(30);
  set.class_names.clear();
  const auto sheet = contact_sheet(set, {2, 0, ""});
  EXPECT_EQ(count_of(sheet, 10), 64 * 64);
  EXPECT_EQ(count_of(sheet, 11), 64 * 64);
  EXPECT_EQ(count_of(sheet, 12), 0);
}

TEST(ContactSheet, refuses_what_cannot_be_shown) {
  expect_error([] { contact_sheet(ImageSet{}, {}); }, "no pictures");
  expect_error([] { contact_sheet(example(3), {0, 0, ""}); }, "count", "0");
  expect_error([] { contact_sheet(example(3), {1, -1, ""}); }, "columns", "-1");
  auto large = example(1, 1, 9000);
  expect_error([&] { contact_sheet(large, {1, 1, ""}); }, "too many");
}

}  // namespace
}  // namespace scdcf::data
