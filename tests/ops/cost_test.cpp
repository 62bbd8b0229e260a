#include "scdcf/ops/cost.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/paper_counts.h"

namespace scdcf::ops {
namespace {

TEST(Cost, the_papers_example_keeps_19_2_percent_of_the_parameters) {
  const auto shape = testing::uniform_shape(1, 1, 1, 5, 5, 16, 32, 8, 3);
  EXPECT_DOUBLE_EQ(static_cast<double>(testing::decomposed_parameters(shape)) /
                       static_cast<double>(testing::dense_parameters(shape)),
                   0.192);
}

TEST(Cost, the_papers_flops_tend_to_the_same_ratio_for_many_channels) {
  // Proposition 1: M_l >> L^2, L_alpha.
  const auto shape = testing::uniform_shape(8, 8, 3, 5, 5, 100, 1000000, 8, 3);
  const double ratio =
      static_cast<double>(testing::paper_scdcf_flops(shape)) / static_cast<double>(testing::paper_regular_flops(shape));
  EXPECT_NEAR(ratio, 0.192, 0.192 * 0.05);  // (flops-regular) also counts the sums over alpha' and lambda'
}

TEST(Cost, the_papers_flops_for_a_layer_counted_by_hand) {
  const auto shape = testing::uniform_shape(2, 3, 4, 5, 2, 7, 11, 8, 2);
  EXPECT_EQ(testing::paper_regular_flops(shape), 2 * 3 * 4 * 11 * (2 * 25 * 2 * 7 + 2 * 7 + 7 + 2));
  EXPECT_EQ(testing::paper_scdcf_flops(shape), 2 * 2 * 3 * 4 * (16 * 7 * 11 + 11 + 25 * 7 * 16 + 2 * 2 * 7));
}

TEST(Cost, the_three_forms_of_the_design_table) {
  // K = 15, K_alpha = L_alpha = 3, L = 11, 32 -> 64 channels, one pixel and scale: 743k, about 266k, about 99k.
  auto shape = testing::uniform_shape(1, 1, 1, 11, 3, 32, 64, 15, 3);
  shape.column_modes = shape.row_modes = 4;
  EXPECT_EQ(composed_multiply_adds(shape), 743424);
  EXPECT_EQ(testing::decomposed_multiply_adds(shape), 266688);
  EXPECT_EQ(separable_multiply_adds(shape), 15 * 3 * 32 * 64 + 4 * 11 * (3 * 32 + 64));
}

TEST(Cost, every_scale_counts_with_its_own_kernel) {
  auto shape = testing::uniform_shape(1, 1, 2, 5, 1, 1, 1, 8, 1);
  shape.kernel_sizes = {5, 9};
  EXPECT_EQ(composed_multiply_adds(shape), 25 + 81);
}

TEST(Cost, a_basis_without_factors_has_no_separable_form) {
  testing::expect_error([] { separable_multiply_adds(testing::uniform_shape(1, 1, 1, 5, 1, 1, 1, 8, 1)); },
                        "separable");
}

}  // namespace
}  // namespace scdcf::ops
