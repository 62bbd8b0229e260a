#include "scdcf/pixels/network_input.h"

#include <algorithm>

#include "support/encoders.h"
#include "support/expect_error.h"

namespace scdcf::pixels {
namespace {

using testing::expect_error;
using testing::ramp;

/// The pixels of a window of an image.
files::Bytes part_of(const Image& image, const Window& window) {
  files::Bytes bytes;
  for (int c = 0; c < image.channels; ++c)
    for (int y = window.top; y < window.top + window.height; ++y)
      for (int x = window.left; x < window.left + window.width; ++x)
        bytes.push_back(image.pixels[static_cast<std::size_t>((c * image.height + y) * image.width + x)]);
  return bytes;
}

TEST(Fit, crop_resizes_the_shorter_side_and_keeps_the_centre) {
  for (const auto& [height, width] : {std::pair{40, 61}, {61, 40}, {5, 9}, {12, 12}, {13, 12}}) {  // larger, smaller
    const Image image = ramp(3, height, width), square = fitted(image, Fit::crop, 12);
    ASSERT_TRUE(square.height == 12 && square.width == 12);
    const auto at = placement(Fit::crop, height, width, 12);
    EXPECT_EQ(std::min(at.height, at.width), 12);
    EXPECT_NEAR(1.0 * at.height / at.width, 1.0 * height / width, 0.05);
    EXPECT_LE(std::abs(2 * -at.top + 12 - at.height), 1) << "the same above and below";
    EXPECT_LE(std::abs(2 * -at.left + 12 - at.width), 1);
    EXPECT_EQ(square.pixels, part_of(resize(image, at.height, at.width), {-at.top, -at.left, 12, 12}));
  }
}

TEST(Fit, pad_shows_all_between_black_bars) {
  const Image wide = fitted(Image{1, 2, 4, files::Bytes(8, 200)}, Fit::pad, 8);
  ASSERT_EQ(wide.pixels.size(), 64U);
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) EXPECT_EQ(wide.pixels[static_cast<std::size_t>(8 * y + x)], y < 2 || y >= 6 ? 0 : 200);
  const auto at = placement(Fit::pad, 2, 4, 8);
  EXPECT_TRUE(at.height == 4 && at.width == 8 && at.top == 2 && at.left == 0);
}

TEST(Fit, stretch_resizes_both_sides) {
  EXPECT_EQ(fitted(ramp(3, 30, 50), Fit::stretch, 16).pixels, resize(ramp(3, 30, 50), 16, 16).pixels);
  const auto at = placement(Fit::stretch, 30, 50, 16);
  EXPECT_TRUE(at.height == 16 && at.width == 16 && at.top == 0 && at.left == 0);
}

TEST(Fit, lines_of_pixels_take_no_more_memory_than_the_square) {
  const Image line{3, 16384, 1, files::Bytes(3 * 16384, 90)};
  for (const auto& [fit, filled] : {std::pair{Fit::crop, 1024 * 1024}, {Fit::pad, 1024}, {Fit::stretch, 1024 * 1024}}) {
    const auto square = fitted(line, fit, 1024);
    EXPECT_TRUE(square.height == 1024 && square.width == 1024);
    EXPECT_EQ(std::count(square.pixels.begin(), square.pixels.end(), 90), 3 * filled);
  }
}

TEST(NetworkInput, turns_fits_and_converts_in_this_order) {
  const auto file = testing::with_orientation(testing::jpeg(ramp(3, 20, 33)), 6, true);
  const auto input = network_input(file, "x.jpg", {10, 1, Fit::crop});
  EXPECT_TRUE(input.height == 33 && input.width == 20);
  EXPECT_EQ(input.image.pixels, with_channels(fitted(decode_image(file, "x"), Fit::crop, 10), 1).pixels);
  EXPECT_EQ(network_input(file, "x.jpg", {}).image.pixels, decode_image(file, "x").pixels) << "as it is";
  const auto clear = testing::png(PNG_COLOR_TYPE_GRAY_ALPHA, 8, 1, 3, {200, 255, 9, 0, 50, 255});
  EXPECT_EQ(network_input(clear, "x.png", {0, 3, Fit::crop, 7}).image.pixels,
            (files::Bytes{200, 7, 50, 200, 7, 50, 200, 7, 50}));
  EXPECT_EQ(network_input(clear, "x.png", {3, 1, Fit::pad, 7, true}).image.pixels,
            (files::Bytes{0, 0, 0, 55, 7, 205, 0, 0, 0}))
      << "inverted: the background and the bars are what they were";
}

TEST(NetworkInput, faults_are_named) {
  expect_error([] { fit_of("squeeze"); }, "fit", "squeeze", "crop, pad or stretch");
  expect_error([] { placement(Fit::crop, 4, 4, 0); }, "size", "got 0");
  expect_error([] { network_input(testing::bytes_of("RIFFsizeWEBPVP8 "), "a.png", {}); }, "a.png", "neither", "WebP");
}

}  // namespace
}  // namespace scdcf::pixels
