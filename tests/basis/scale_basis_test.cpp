#include "scdcf/basis/scale_basis.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/expect_error.h"

namespace scdcf::basis {
namespace {

TEST(ScaleBasis, is_orthonormal_and_with_as_many_modes_as_taps_complete) {
  for (const int taps : {1, 2, 3, 5, 9}) {
    const auto basis = make_scale_basis(taps, taps);
    for (int i = 0; i < taps; ++i)
      for (int j = 0; j < taps; ++j) {
        double of_modes = 0, of_taps = 0;
        for (int k = 0; k < taps; ++k) {
          of_modes += basis.value(i, k) * basis.value(j, k);
          of_taps += basis.value(k, i) * basis.value(k, j);
        }
        EXPECT_NEAR(of_modes, i == j, 1e-14) << taps << " taps";
        EXPECT_NEAR(of_taps, i == j, 1e-14) << taps << " taps";
      }
  }
}

TEST(ScaleBasis, samples_the_sines_at_interior_points) {
  const auto basis = make_scale_basis(2, 3);  // at -1/2, 0, 1/2
  EXPECT_EQ(basis.count, 2);
  EXPECT_EQ(basis.taps, 3);
  EXPECT_DOUBLE_EQ(basis.spacing(), 0.5);
  const double root = std::sqrt(0.5);
  EXPECT_NEAR(basis.value(0, 0), root * root, 1e-15);
  EXPECT_NEAR(basis.value(0, 1), root, 1e-15);
  EXPECT_NEAR(basis.value(1, 0), root, 1e-15);
  EXPECT_NEAR(basis.value(1, 1), 0, 1e-15);
  EXPECT_NEAR(basis.value(1, 2), -root, 1e-15);
}

TEST(ScaleBasis, fewer_modes_are_the_first_ones) {
  const auto few = make_scale_basis(2, 5), all = make_scale_basis(5, 5);
  for (int m = 0; m < 2; ++m)
    for (int t = 0; t < 5; ++t) EXPECT_EQ(few.value(m, t), all.value(m, t));
}

TEST(ScaleBasis, eigenvalues_are_those_of_the_sines) {
  const auto basis = make_scale_basis(4, 5);
  ASSERT_EQ(basis.eigenvalues.size(), 4U);
  for (int m = 1; m <= 4; ++m)
    EXPECT_NEAR(basis.eigenvalues[static_cast<size_t>(m - 1)], std::pow(m * 2 * std::atan(1.0), 2), 1e-12);
}

TEST(ScaleBasis, bad_counts_fail_by_name) {
  testing::expect_error([] { make_scale_basis(1, 0); }, "L_alpha", "0");
  testing::expect_error([] { make_scale_basis(1, 1025); }, "L_alpha", "1025");
  testing::expect_error([] { make_scale_basis(0, 3); }, "K_alpha", "0");
  testing::expect_error([] { make_scale_basis(4, 3); }, "K_alpha", "4", "3");
}

}  // namespace
}  // namespace scdcf::basis
