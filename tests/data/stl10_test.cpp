#include "scdcf/data/stl10.h"

#include "support/expect_error.h"
#include "support/samples.h"

namespace scdcf::data {
namespace {

using testing::bytes_of;
using testing::expect_error;

const std::vector<std::string> kNames = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
constexpr std::size_t kImage = 3 * 96 * 96;

TEST(Stl10, planes_are_column_by_column) {
  files::Bytes bytes(2 * kImage);
  bytes[kImage + 2 * 9216 + 96 * 5 + 7] = 200;  // second picture, blue, column 5, row 7
  const auto set = parse_stl10(bytes, {1, 10}, kNames, "x");
  EXPECT_EQ(set.channels, 3);
  EXPECT_EQ(set.labels, (std::vector<std::int32_t>{0, 9}));
  EXPECT_EQ(set.image(1)[2 * 9216 + 7 * 96 + 5], 200);
  EXPECT_EQ(std::count(set.pixels.begin(), set.pixels.end(), 0), static_cast<std::ptrdiff_t>(2 * kImage - 1));
}

TEST(Stl10, refuses_wrong_sizes_and_labels) {
  expect_error([] { parse_stl10(files::Bytes(kImage - 1), {1}, kNames, "X.bin"); }, "X.bin", "27647", "27648");
  expect_error([] { parse_stl10({}, {}, kNames, "X.bin"); }, "X.bin", "0 bytes");
  expect_error([] { parse_stl10(files::Bytes(kImage), {1, 2}, kNames, "X.bin"); }, "X.bin", "2 labels for 1");
  expect_error([] { parse_stl10(files::Bytes(kImage), {0}, kNames, "X.bin"); }, "X.bin", "label 0 is 0", "1 to 10");
  expect_error([] { parse_stl10(files::Bytes(kImage), {11}, kNames, "X.bin"); }, "X.bin", "label 0 is 11");
}

TEST(Stl10, class_names_are_ten_lines) {
  EXPECT_EQ(parse_class_names(bytes_of("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"), "n"), kNames);
  EXPECT_EQ(parse_class_names(bytes_of("a\r\nb\r\nc\r\nd\r\ne\r\nf\r\ng\r\nh\r\ni\r\nj"), "n"), kNames);
  expect_error([] { parse_class_names(bytes_of("a\nb\n"), "names.txt"); }, "names.txt", "2 lines");
  expect_error([] { parse_class_names(bytes_of("a\n\nc\nd\ne\nf\ng\nh\ni\nj\n"), "names.txt"); }, "names.txt",
               "line 2");
}

TEST(Stl10, folds_are_ten_lines_of_indices) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += std::to_string(i) + " " + std::to_string(19 - i) + " \n";
  const auto folds = parse_folds(bytes_of(text), 20, "f");
  ASSERT_EQ(folds.size(), 10U);
  EXPECT_EQ(folds[3], (std::vector<std::int64_t>{3, 16}));
  expect_error([&] { parse_folds(bytes_of(text), 19, "folds.txt"); }, "folds.txt", "line 1", "\"19\"", "0 to 18");
  expect_error([&] { parse_folds(bytes_of(text + "1\n"), 20, "folds.txt"); }, "folds.txt", "11 lines");
  expect_error([&] { parse_folds(bytes_of("1 x" + text.substr(5)), 20, "folds.txt"); }, "line 1", "\"x");
  expect_error([&] { parse_folds(bytes_of("1 1" + text.substr(5)), 20, "folds.txt"); }, "line 1", "picture 1 twice");
  expect_error([&] { parse_folds(bytes_of(text.substr(6) + "\n"), 20, "folds.txt"); }, "line 10", "empty");
}

}  // namespace
}  // namespace scdcf::data
