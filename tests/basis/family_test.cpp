#include "scdcf/basis/family.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "basis/calculus.h"
#include "support/expect_error.h"

namespace scdcf::basis {
namespace {

using testing::expect_error;

class AnyFamily : public ::testing::TestWithParam<FamilyPtr> {};

TEST_P(AnyFamily, integral_is_that_of_the_value) {
  const Family& family = *GetParam();
  for (int n = 0; n < family.size(); ++n) {
    const auto f = [&](double x) { return family.value(n, x); };
    // Cut at 0.2 and -0.6 so that no knot of the splines (multiples of 0.2 here) falls inside a cell.
    for (const auto& [lo, hi] : {std::pair{-1.0, 1.0}, {-1.0, 0.2}, {0.2, 1.0}, {-0.6, 0.2}})
      EXPECT_NEAR(family.integral(n, lo, hi), testing::gauss(f, lo, hi), 1e-10)
          << family.name() << " " << n << " over [" << lo << ", " << hi << "]";
  }
}

TEST_P(AnyFamily, integral_is_additive) {
  const Family& family = *GetParam();
  for (int n = 0; n < family.size(); ++n) {
    double sum = 0;
    for (int i = 0; i < 7; ++i) sum += family.integral(n, -1 + 2.0 * i / 7, -1 + 2.0 * (i + 1) / 7);
    EXPECT_NEAR(sum, family.integral(n, -1, 1), 1e-13) << family.name() << " " << n;
    EXPECT_EQ(family.integral(n, 0.3, 0.3), 0.0);
  }
}

TEST_P(AnyFamily, vanishes_outside_the_interval) {
  const Family& family = *GetParam();
  for (int n = 0; n < family.size(); ++n)
    for (const double x : {-1.0, 1.0, -1.0001, 1.0001, -3.0, 7.5}) EXPECT_EQ(family.value(n, x), 0.0);
}

TEST_P(AnyFamily, eigenvalues_do_not_decrease) {
  const Family& family = *GetParam();
  for (int n = 1; n < family.size(); ++n) EXPECT_GE(family.eigenvalue(n), family.eigenvalue(n - 1));
}

INSTANTIATE_TEST_SUITE_P(Families, AnyFamily,
                         ::testing::Values(make_sine_family(8), make_hermite_gauss_family(6),
                                           make_hermite_gauss_family(4, 0.5), make_bspline_family(7, 3),
                                           make_bspline_family(10, 0), make_bspline_family(9, 1),
                                           make_bspline_family(5, 5)));

TEST(FamilyErrors, name_the_argument) {
  expect_error([&] { make_sine_family(0); }, "size", "0");
  expect_error([&] { make_sine_family(-3); }, "size", "-3");
  expect_error([&] { make_hermite_gauss_family(0); }, "size", "0");
  expect_error([&] { make_hermite_gauss_family(65); }, "size", "65");
  for (const double sigma : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    expect_error([&] { make_hermite_gauss_family(3, sigma); }, "sigma");
  expect_error([&] { make_bspline_family(0); }, "size", "0");
  expect_error([&] { make_bspline_family(4, -1); }, "degree", "-1");
  expect_error([&] { make_bspline_family(4, 8); }, "degree", "8");
}

}  // namespace
}  // namespace scdcf::basis
