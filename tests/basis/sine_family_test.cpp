// The sines: eigenfunctions of the Dirichlet problem on an interval.
#include <gtest/gtest.h>

#include <cmath>

#include "basis/calculus.h"
#include "scdcf/basis/family.h"

namespace scdcf::basis {
namespace {

constexpr double kHalfOfPi = 1.57079632679489661923;

TEST(SineFamily, is_orthonormal) {
  const auto sines = make_sine_family(6);
  for (int m = 0; m < 6; ++m)
    for (int n = 0; n < 6; ++n)
      EXPECT_NEAR(testing::gauss([&](double x) { return sines->value(m, x) * sines->value(n, x); }, -1, 1), m == n,
                  1e-10);
}

TEST(SineFamily, solves_the_dirichlet_problem) {
  const auto sines = make_sine_family(5);
  EXPECT_TRUE(sines->is_dirichlet());
  for (int n = 0; n < 5; ++n) {
    EXPECT_NEAR(sines->eigenvalue(n), std::pow((n + 1) * kHalfOfPi, 2), 1e-12);
    EXPECT_NEAR(sines->value(n, -1 + 1e-9), 0, 1e-7);
    EXPECT_NEAR(sines->value(n, 1 - 1e-9), 0, 1e-7);
    for (const double x : {-0.83, -0.31, 0.0, 0.27, 0.64}) {
      const double curvature = testing::second_derivative([&](double t) { return sines->value(n, t); }, x, 2e-3);
      EXPECT_NEAR(curvature, -sines->eigenvalue(n) * sines->value(n, x), 1e-6);
    }
  }
}

}  // namespace
}  // namespace scdcf::basis
