#include "scdcf/data/image_set.h"

#include <gtest/gtest.h>

#include "scdcf/pixels/resize.h"
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

TEST(ImageSet, resized_as_its_pictures_are) {
  const auto set = two_pictures(), result = resize(set, 14, 5);
  const pixels::Image second{3, 9, 7, files::Bytes(set.image(1), set.image(1) + 189)};
  EXPECT_EQ(files::Bytes(result.image(1), result.image(1) + result.image_bytes()),
            pixels::resize(second, 14, 5).pixels);
}

TEST(ImageSet, refuses_sizes_that_no_memory_holds) {
  expect_error([] { resize(two_pictures(), 0, 5); }, "size", "got 0");
  expect_error([] { resize(two_pictures(), 100000, 100000); }, "size", "too many");
}

}  // namespace
}  // namespace scdcf::data
