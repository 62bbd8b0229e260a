#include "scdcf/basis/family.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "support/expect_error.h"

namespace scdcf::basis {
namespace {

using testing::expect_error;

constexpr double kHalfOfPi = 1.57079632679489661923;

/// Composite three-point Gauss rule; exact for piecewise quintics whose pieces end at multiples of 2/cells.
double gauss(const std::function<double(double)>& f, double lo, double hi, int cells = 1200) {
  const double step = (hi - lo) / cells, offset = std::sqrt(0.6) / 2 * step;
  double sum = 0;
  for (int i = 0; i < cells; ++i) {
    const double x = lo + (i + 0.5) * step;
    sum += step / 18 * (5 * f(x - offset) + 8 * f(x) + 5 * f(x + offset));
  }
  return sum;
}

double second_derivative(const std::function<double(double)>& f, double x, double h) {
  return (-f(x + 2 * h) + 16 * f(x + h) - 30 * f(x) + 16 * f(x - h) - f(x - 2 * h)) / (12 * h * h);
}

class AnyFamily : public ::testing::TestWithParam<FamilyPtr> {};

TEST_P(AnyFamily, integral_is_that_of_the_value) {
  const Family& family = *GetParam();
  for (int n = 0; n < family.size(); ++n) {
    const auto f = [&](double x) { return family.value(n, x); };
    // Cut at 0.2 and -0.6 so that no knot of the splines (multiples of 0.2 here) falls inside a cell.
    for (const auto& [lo, hi] : {std::pair{-1.0, 1.0}, {-1.0, 0.2}, {0.2, 1.0}, {-0.6, 0.2}})
      EXPECT_NEAR(family.integral(n, lo, hi), gauss(f, lo, hi), 1e-10)
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

TEST(SineFamily, is_orthonormal) {
  const auto sines = make_sine_family(6);
  for (int m = 0; m < 6; ++m)
    for (int n = 0; n < 6; ++n)
      EXPECT_NEAR(gauss([&](double x) { return sines->value(m, x) * sines->value(n, x); }, -1, 1), m == n, 1e-10);
}

TEST(SineFamily, solves_the_dirichlet_problem) {
  const auto sines = make_sine_family(5);
  EXPECT_TRUE(sines->is_dirichlet());
  for (int n = 0; n < 5; ++n) {
    EXPECT_NEAR(sines->eigenvalue(n), std::pow((n + 1) * kHalfOfPi, 2), 1e-12);
    EXPECT_NEAR(sines->value(n, -1 + 1e-9), 0, 1e-7);
    EXPECT_NEAR(sines->value(n, 1 - 1e-9), 0, 1e-7);
    for (const double x : {-0.83, -0.31, 0.0, 0.27, 0.64}) {
      const double curvature = second_derivative([&](double t) { return sines->value(n, t); }, x, 2e-3);
      EXPECT_NEAR(curvature, -sines->eigenvalue(n) * sines->value(n, x), 1e-6);
    }
  }
}

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
    const double square = gauss([&](double x) { return f(x) * f(x); }, -1, 1);
    const double quotient = gauss([&](double x) { return slope(x) * slope(x); }, -1, 1) / square;
    EXPECT_NEAR(splines->eigenvalue(0) / quotient, 1, 1e-6) << "degree " << degree;
    EXPECT_EQ(splines->eigenvalue(0), splines->eigenvalue(size - 1));
  }
}

TEST(HermiteGaussFamily, order_zero_is_the_gaussian) {
  const auto family = make_hermite_gauss_family(1, 0.3);
  for (const double x : {-0.9, -0.2, 0.0, 0.5}) EXPECT_NEAR(family->value(0, x), std::exp(-x * x / 0.18), 1e-15);
}

TEST(HermiteGaussFamily, each_order_is_minus_the_derivative_of_the_one_before) {
  // By induction order n is (-1)^n times the n-th derivative of the Gaussian, in t = x/sigma.
  const double sigma = 0.25, h = 1e-3;
  const auto family = make_hermite_gauss_family(7, sigma);
  for (int n = 0; n + 1 < 7; ++n)
    for (const double x : {-0.7, -0.33, 0.0, 0.11, 0.6}) {
      const auto f = [&](double t) { return family->value(n, t); };
      const double slope = (f(x - 2 * h) - 8 * f(x - h) + 8 * f(x + h) - f(x + 2 * h)) / (12 * h);
      EXPECT_NEAR(family->value(n + 1, x), -sigma * slope, 1e-6) << n << " at " << x;
    }
}

TEST(HermiteGaussFamily, eigenvalue_n_belongs_to_the_operator_of_its_header) {
  const double sigma = 0.25, h = 1e-3;
  const auto family = make_hermite_gauss_family(5, sigma);
  for (int n = 0; n < 5; ++n) {
    EXPECT_EQ(family->eigenvalue(n), n);
    for (const double t : {-1.7, -0.4, 0.9}) {  // -f'' - (t f)' = n f
      const auto f = [&](double u) { return family->value(n, sigma * u); };
      const auto tf = [&](double u) { return u * f(u); };
      const double slope = (tf(t - 2 * h) - 8 * tf(t - h) + 8 * tf(t + h) - tf(t + 2 * h)) / (12 * h);
      EXPECT_NEAR(-second_derivative(f, t, h) - slope, n * f(t), 1e-6);
    }
  }
}

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
