#include "scdcf/pixels/resize.h"

#include <algorithm>
#include <cmath>

#include "support/expect_error.h"
#include "support/samples.h"

namespace scdcf::pixels {
namespace {

using data::Random;
using testing::expect_error;
using testing::ramp;
using testing::random_bytes;

Image noise(int channels, int height, int width) {
  return {channels, height, width, random_bytes(static_cast<std::size_t>(channels * height * width), Random(6))};
}

TEST(Resize, the_same_size_is_the_same_picture) {
  EXPECT_EQ(resize(noise(3, 5, 9), 5, 9).pixels, noise(3, 5, 9).pixels);
}

TEST(Resize, constants_stay_constant) {
  for (const int size : {1, 2, 3, 7, 16, 29, 64}) {
    const Image result = resize(Image{3, 13, 11, files::Bytes(3 * 13 * 11, 201)}, size, size + 1);
    EXPECT_EQ(result.pixels, files::Bytes(static_cast<std::size_t>(3 * size * (size + 1)), 201)) << size;
  }
}

TEST(Resize, halving_averages_two_by_two) {
  const Image image = noise(1, 6, 8), half = resize(image, 3, 4);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 4; ++x) {
      const auto* p = image.pixels.data() + 2 * y * 8 + 2 * x;
      EXPECT_EQ(half.pixels[static_cast<std::size_t>(y * 4 + x)], (p[0] + p[1] + p[8] + p[9] + 2) / 4);
    }
}

TEST(Resize, shrinking_keeps_the_mean) {
  const auto mean = [](const Image& image) {
    double sum = 0;
    for (const auto pixel : image.pixels) sum += pixel;
    return sum / static_cast<double>(image.pixels.size());
  };
  for (const int size : {1, 3, 10, 17, 30})
    EXPECT_NEAR(mean(resize(noise(1, 31, 31), size, size)), mean(noise(1, 31, 31)), 1);
}

TEST(Resize, growing_continues_a_linear_ramp) {
  Image image{1, 1, 16, {}};
  for (int x = 0; x < 16; ++x) image.pixels.push_back(static_cast<std::uint8_t>(10 * x));
  const Image result = resize(image, 1, 48);
  for (int x = 6; x < 42; ++x)  // away from the border; the kernel for a = -3/4 is within 3% of a line's step
    EXPECT_NEAR(result.pixels[static_cast<std::size_t>(x)], 10 * ((x + 0.5) / 3 - 0.5), 1.0);
}

TEST(Resize, refuses_impossible_sizes) {
  expect_error([] { resize(ramp(1, 4, 4), 0, 4); }, "size", "got 0");
  expect_error([] { resize(ramp(1, 4, 4), 4, 20000); }, "size", "got 20000");
  expect_error([] { rescale_about_centre(ramp(1, 4, 4), 0); }, "factor", "got 0");
  expect_error([] { rescale_about_centre(Image{1, 4, 4, files::Bytes(3)}, 0.5); }, "image", "3 bytes");
}

TEST(Rescale, factor_one_changes_nothing) {
  EXPECT_EQ(rescale_about_centre(noise(3, 28, 28), 1.0).pixels, noise(3, 28, 28).pixels);
  EXPECT_EQ(rescale_about_centre(noise(1, 2, 3), 1.0).pixels, noise(1, 2, 3).pixels);
}

TEST(Rescale, is_the_bicubic_formula) {
  // out(p) = sum_ij w(q_y - i) w(q_x - j) in(i, j), q = c + (p - c) / s, written out without separating the axes
  const Image image = noise(1, 12, 12);
  const double factor = 0.61, centre = 5.5;
  const auto w = [](double t) {
    t = std::abs(t);
    return t <= 1 ? 1.25 * t * t * t - 2.25 * t * t + 1 : t < 2 ? -0.75 * t * t * t + 3.75 * t * t - 6 * t + 3 : 0;
  };
  const Image result = rescale_about_centre(image, factor);
  for (int y = 0; y < 12; ++y)
    for (int x = 0; x < 12; ++x) {
      double sum = 0;
      for (int i = 0; i < 12; ++i)
        for (int j = 0; j < 12; ++j)
          sum += w(centre + (y - centre) / factor - i) * w(centre + (x - centre) / factor - j) *
                 image.pixels[static_cast<std::size_t>(12 * i + j)];
      EXPECT_NEAR(result.pixels[static_cast<std::size_t>(12 * y + x)], std::clamp(sum, 0.0, 255.0), 0.5001);
    }
}

TEST(Rescale, a_shrunk_picture_has_black_around_it) {
  const Image result = rescale_about_centre(Image{1, 28, 28, files::Bytes(784, 255)}, 0.3);
  for (int y = 0; y < 28; ++y)
    for (int x = 0; x < 28; ++x) {
      const double distance = std::max(std::abs(x - 13.5), std::abs(y - 13.5));
      if (distance < 3.9 || distance > 4.7) {
        EXPECT_EQ(result.pixels[static_cast<std::size_t>(28 * y + x)], distance < 4 ? 255 : 0) << x << ", " << y;
      }
    }
}

TEST(Place, on_its_own_square_is_rescaling_about_the_centre) {
  for (const double factor : {1.0, 1.3, 2.5})
    EXPECT_EQ(place(noise(1, 12, 12), factor, 6, 6, 12).pixels, rescale_about_centre(noise(1, 12, 12), factor).pixels);
}

TEST(Place, whole_pixels_move_the_picture_and_the_border_cuts_it) {
  const Image image = noise(1, 6, 6), moved = place(image, 1, 12, 4, 14);
  for (int y = 0; y < 14; ++y)
    for (int x = 0; x < 14; ++x) {
      const int from_x = x - 9, from_y = y - 1;
      const bool inside = from_x >= 0 && from_x < 6 && from_y >= 0 && from_y < 6;
      EXPECT_EQ(moved.pixels[static_cast<std::size_t>(14 * y + x)],
                inside ? image.pixels[static_cast<std::size_t>(6 * from_y + from_x)] : 0);
    }
}

TEST(Place, a_plain_square_has_its_size_and_its_centre) {
  const Image square{1, 28, 28, files::Bytes(784, 200)};
  for (const double factor : {0.25, 0.5, 0.61, 1.0, 1.7, 3.0}) {
    const Image result = place(square, factor, 50.5, 61.25, 112);
    double sum = 0, x_sum = 0, y_sum = 0;
    for (int y = 0; y < 112; ++y)
      for (int x = 0; x < 112; ++x) {
        const double value = result.pixels[static_cast<std::size_t>(112 * y + x)];
        sum += value;
        x_sum += value * (x + 0.5);
        y_sum += value * (y + 0.5);
      }
    EXPECT_NEAR(std::sqrt(sum / 200), 28 * factor, 0.02 * 28 * factor) << factor;
    EXPECT_NEAR(x_sum / sum, 50.5, 0.05) << factor;
    EXPECT_NEAR(y_sum / sum, 61.25, 0.05) << factor;
  }
}

TEST(Place, what_shrinks_is_averaged) {
  Image stripes{1, 32, 32, {}};
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 32; ++x) stripes.pixels.push_back(x % 2 == 0 ? 200 : 0);
  const Image result = place(stripes, 0.4, 10, 10, 20);
  for (int y = 7; y < 13; ++y)  // away from the border of the stripes
    for (int x = 7; x < 13; ++x) EXPECT_NEAR(result.pixels[static_cast<std::size_t>(20 * y + x)], 100, 12);
  expect_error([&] { place(stripes, 0, 10, 10, 20); }, "factor", "got 0");
  expect_error([&] { place(stripes, 1, 10, 10, 0); }, "size", "got 0");
}

}  // namespace
}  // namespace scdcf::pixels
