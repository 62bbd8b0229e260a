// Derivatives of a Gaussian.
#include <gtest/gtest.h>

#include <cmath>

#include "basis/calculus.h"
#include "scdcf/basis/family.h"

namespace scdcf::basis {
namespace {

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
      EXPECT_NEAR(-testing::second_derivative(f, t, h) - slope, n * f(t), 1e-6);
    }
  }
}

}  // namespace
}  // namespace scdcf::basis
