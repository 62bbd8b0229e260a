#include "scdcf/data/image_set.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scdcf/data/fitted.h"
#include "scdcf/data/split.h"
#include "support/expect_error.h"
#include "support/samples.h"

namespace scdcf::data {
namespace {

using testing::expect_error;
using testing::random_bytes;

ImageSet two_pictures() {
  ImageSet set;
  set.channels = 3;
  set.height = 9;
  set.width = 7;
  set.labels = {0, 1};
  set.pixels = random_bytes(2 * 3 * 63, Random(7));
  return set;
}

TEST(ImageSet, fitted_as_its_pictures_are) {
  const auto set = two_pictures(), result = fitted(set, pixels::Fit::crop, 5);
  const pixels::Image second{3, 9, 7, files::Bytes(set.image(1), set.image(1) + 189)};
  EXPECT_EQ(files::Bytes(result.image(1), result.image(1) + result.image_bytes()),
            pixels::fitted(second, pixels::Fit::crop, 5).pixels);
}

TEST(ImageSet, what_is_known_of_each_picture_stays_with_it) {
  auto set = two_pictures();
  set.scales = {0.25F, 0.5F};
  set.centres = {{1, 2}, {3, 4}};
  set.all_sizes = {{0.25F, "small"}, {0.5F, "large"}};
  set.class_names = {"a", "b"};
  for (const auto& part : {prefix(set, 1), select(set, {1, 0}), fitted(set, pixels::Fit::stretch, 18)}) {
    const std::size_t first = part.count() == 2 && part.height == 9 ? 1 : 0;
    const float enlarged = part.height == 18 ? 2 : 1, widened = part.height == 18 ? 18.0F / 7 : 1;
    ASSERT_EQ(part.centres.size(), part.labels.size());
    EXPECT_FLOAT_EQ(part.centres[0].x, set.centres[first].x * widened);
    EXPECT_EQ(part.centres[0].y, set.centres[first].y * enlarged);
    EXPECT_EQ(part.scales[0], set.scales[first]);
    EXPECT_EQ(part.all_sizes.size(), 2U);
    EXPECT_EQ(part.class_names, set.class_names);
  }
}

TEST(ImageSet, objects_move_with_the_crop) {
  auto set = two_pictures();  // 9 pixels high, 7 wide
  set.scales = {0.5F, 0.5F};
  set.centres = {{3.5F, 4.5F}, {1, 2}};
  const auto cropped = fitted(set, pixels::Fit::crop, 14);  // 18 x 14, without two rows at the top and the bottom
  EXPECT_FLOAT_EQ(cropped.centres[0].x, 7);
  EXPECT_FLOAT_EQ(cropped.centres[0].y, 7);
  EXPECT_FLOAT_EQ(cropped.centres[1].y, 2);
  EXPECT_FLOAT_EQ(cropped.scales[0], 0.5F * std::sqrt(9.0F / 7));
}

TEST(ImageSet, refuses_sizes_that_no_memory_holds) {
  expect_error([] { fitted(two_pictures(), pixels::Fit::crop, 0); }, "size", "got 0");
  expect_error([] { fitted(two_pictures(), pixels::Fit::crop, 100000); }, "size", "too many");
}

}  // namespace
}  // namespace scdcf::data
