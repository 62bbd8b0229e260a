#include "scdcf/verify/test_images.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace scdcf::verify {
namespace {

double largest(const torch::Tensor& tensor) { return tensor.abs().max().item<double>(); }

TEST(SoftStrokesTest, are_the_same_picture_on_finer_pixels) {
  const auto coarse = soft_strokes(3, 64, 5), fine = soft_strokes(3, 128, 5);
  EXPECT_EQ(coarse.sizes(), (std::vector<int64_t>{3, 1, 64, 64}));
  EXPECT_LT(largest(torch::avg_pool2d(fine, 2) - coarse), 0.05 * largest(coarse));
}

TEST(SoftStrokesTest, leave_the_border_black_and_differ_from_each_other) {
  const auto images = soft_strokes(2, 64, 1);
  for (const int64_t line : {0, 63}) {
    EXPECT_LT(largest(images.select(2, line)), 1e-3 * largest(images));
    EXPECT_LT(largest(images.select(3, line)), 1e-3 * largest(images));
  }
  EXPECT_GT(largest(images[0] - images[1]), 0.1);
  EXPECT_GT(largest(images - soft_strokes(2, 64, 2)), 0.1);
}

TEST(SoftStrokesTest, lose_detail_with_softness) {
  const auto steepness = [](double softness) {
    const auto image = soft_strokes(4, 64, 3, softness);
    return (largest(image.diff(1, 2)) + largest(image.diff(1, 3))) / largest(image);
  };
  EXPECT_LT(steepness(2), 0.75 * steepness(1));
}

}  // namespace
}  // namespace scdcf::verify
