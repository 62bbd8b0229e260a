// Shifts of one spline.
#include <gtest/gtest.h>

#include "basis/calculus.h"
#include "scdcf/basis/family.h"

namespace scdcf::basis {
namespace {

TEST(BsplineFamily, is_a_partition_of_unity_where_all_splines_reach) {
  for (const int degree : {0, 1, 2, 3, 5, 7}) {
    const int size = degree + 6;
    const auto splines = make_bspline_family(size, degree);
    const double knot = 2.0 / (size + degree), edge = 1 - degree * knot;  // the outer `degree` knots lack a neighbour
    for (double x = -edge + 1e-6; x < edge; x += 0.01) {
      double sum = 0;
      for (int n = 0; n < size; ++n) {
        EXPECT_GE(splines->value(n, x), -1e-12);
        sum += splines->value(n, x);
      }
      EXPECT_NEAR(sum, 1, 1e-10) << "degree " << degree << " at " << x;
    }
  }
}

TEST(BsplineFamily, consists_of_shifts_of_one_even_function) {
  const auto splines = make_bspline_family(5, 3);
  const double knot = 2.0 / 8;
  for (int n = 0; n < 5; ++n)
    for (double t = 0; t < 0.5; t += 0.037) {
      const double centre = -1 + knot * (n + 2);
      EXPECT_NEAR(splines->value(n, centre + t), splines->value(2, t), 1e-12);
      EXPECT_NEAR(splines->value(n, centre - t), splines->value(2, t), 1e-12);
    }
}

TEST(BsplineFamily, eigenvalue_is_the_rayleigh_quotient) {
  for (const int degree : {1, 2, 3}) {
    const int size = 10 - degree;  // ten knots, so that no piece ends inside a quadrature cell
    const auto splines = make_bspline_family(size, degree);
    const auto f = [&](double x) { return splines->value(size / 2, x); };
    const auto slope = [&](double x) { return (f(x + 1e-5) - f(x - 1e-5)) / 2e-5; };
    const double square = testing::gauss([&](double x) { return f(x) * f(x); }, -1, 1);
    const double quotient = testing::gauss([&](double x) { return slope(x) * slope(x); }, -1, 1) / square;
    EXPECT_NEAR(splines->eigenvalue(0) / quotient, 1, 1e-6) << "degree " << degree;
    EXPECT_EQ(splines->eigenvalue(0), splines->eigenvalue(size - 1));
  }
}

}  // namespace
}  // namespace scdcf::basis
