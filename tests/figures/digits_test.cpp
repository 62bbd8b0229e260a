#include "scdcf/figures/digits.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "support/expect_error.h"

namespace scdcf::figures {
namespace {

TEST(CentredDigitsTest, lie_in_the_middle_of_a_black_canvas) {
  FigureOptions options;
  options.data = "glyphs";
  const auto digits = centred_digits(options, 3, 28, 64);
  EXPECT_EQ(digits.sizes(), (std::vector<int64_t>{3, 1, 64, 64}));
  EXPECT_GE(digits.min().item<double>(), 0);
  EXPECT_LE(digits.max().item<double>(), 1);
  const auto inner = digits.narrow(2, 18, 28).narrow(3, 18, 28);
  EXPECT_FLOAT_EQ(inner.sum().item<float>(), digits.sum().item<float>());
  EXPECT_GT(inner.amax({1, 2, 3}).min().item<double>(), 0.5);
}

TEST(DigitSourceTest, is_one_of_three) {
  FigureOptions options;
  options.data = "cifar";
  testing::expect_error([&] { digit_source(options); }, "cifar", "glyphs");
}

TEST(MapOfTest, keeps_rows_and_divides) {
  const auto map = map_of(torch::tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}, torch::kDouble), 2);
  EXPECT_EQ(map.height, 2);
  EXPECT_EQ(map.width, 3);
  EXPECT_EQ(map.values, (std::vector<float>{0.5F, 1, 1.5F, 2, 2.5F, 3}));
}

}  // namespace
}  // namespace scdcf::figures
