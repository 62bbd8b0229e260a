// The basis on the disk.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "basis/spatial_prefix.h"
#include "scdcf/basis/spatial_basis.h"
#include "scdcf/core/error.h"
#include "support/expect_error.h"

namespace scdcf::basis {
namespace {

/// The Fourier-Bessel basis, or null where the build has no Boost.
SpatialBasisPtr disk_basis(int size) {
  try {
    return make_spatial_basis("fourier-bessel", size);
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("Boost"), std::string::npos) << error.what();
    return nullptr;
  }
}

#define NEED_DISK_BASIS(basis) \
  if ((basis) == nullptr) GTEST_SKIP() << "built without Boost.Math"

/// Integrates over the unit disk: midpoint rule in the angle (exact here), composite Simpson in the radius.
double over_disk(const std::function<double(double, double)>& f) {
  constexpr int kAngles = 64, kRings = 400;
  double sum = 0;
  for (int i = 0; i <= kRings; ++i) {
    const double r = static_cast<double>(i) / kRings, weight = i == 0 || i == kRings ? 1 : (i % 2 == 1 ? 4 : 2);
    for (int j = 0; j < kAngles; ++j) {
      const double theta = 8 * std::atan(1.0) * (j + 0.5) / kAngles;
      sum += weight * r * f(r * std::sin(theta), r * std::cos(theta));
    }
  }
  return sum * 8 * std::atan(1.0) / kAngles / (3.0 * kRings);
}

TEST(FourierBesselBasis, is_orthonormal_on_the_disk) {
  const auto basis = disk_basis(20);
  NEED_DISK_BASIS(basis);
  for (int k = 0; k < 20; ++k)
    for (int l = 0; l <= k; ++l)
      EXPECT_NEAR(over_disk([&](double y, double x) { return basis->value(k, y, x) * basis->value(l, y, x); }), k == l,
                  1e-6)
          << k << " and " << l;
}

TEST(FourierBesselBasis, is_the_bessel_formula) {
  const auto basis = disk_basis(60);
  NEED_DISK_BASIS(basis);
  for (int k = 0; k < 60; ++k) {
    const int signed_order = basis->mode(k).column, m = std::abs(signed_order);
    const double zero = std::sqrt(basis->mode(k).eigenvalue), slope = std::abs(std::cyl_bessel_j(m + 1.0, zero));
    EXPECT_NEAR(std::cyl_bessel_j(m, zero), 0, 1e-10) << "mode " << k;
    for (const double r : {0.05, 0.4, 0.77, 0.999})
      for (const double theta : {-2.5, 0.3, 1.9}) {
        const double angular = signed_order < 0 ? std::sin(m * theta) : std::cos(m * theta);
        const double norm = std::sqrt((m == 0 ? 1 : 2) / (4 * std::atan(1.0))) / slope;
        EXPECT_NEAR(basis->value(k, r * std::sin(theta), r * std::cos(theta)),
                    norm * std::cyl_bessel_j(m, zero * r) * angular, 1e-9)
            << "mode " << k;
      }
  }
}

TEST(FourierBesselBasis, solves_the_dirichlet_problem_on_the_disk) {
  const auto basis = disk_basis(30);
  NEED_DISK_BASIS(basis);
  EXPECT_TRUE(basis->is_dirichlet());
  EXPECT_FALSE(basis->is_separable());
  EXPECT_NEAR(basis->mode(0).eigenvalue, 5.783185962946785, 1e-12);
  const double h = 1e-3;
  for (int k = 0; k < 30; ++k) {
    EXPECT_EQ(basis->value(k, 0.8, 0.61), 0.0);
    EXPECT_NEAR(basis->value(k, 0.8 * (1 - 1e-9), 0.6 * (1 - 1e-9)), 0, 1e-6);
    for (const auto& [y, x] : {std::pair{0.0, 0.0}, {0.3, -0.2}, {-0.6, 0.55}}) {
      const double centre = basis->value(k, y, x);
      const double laplacian = (basis->value(k, y + h, x) + basis->value(k, y - h, x) + basis->value(k, y, x + h) +
                                basis->value(k, y, x - h) - 4 * centre) /
                               (h * h);
      EXPECT_NEAR(laplacian, -basis->mode(k).eigenvalue * centre, 1e-2) << "mode " << k;
    }
  }
}

TEST(FourierBesselBasis, is_ordered_by_zero_and_skips_none) {
  for (const int size : {1, 4, 15, 60, 256}) {
    const auto basis = disk_basis(size);
    NEED_DISK_BASIS(basis);
    const double last = std::sqrt(basis->modes().back().eigenvalue);
    // Zeros of J_m below the last one, counted by sign changes; each gives a cosine and, for m > 0, a sine.
    int below = 0;
    for (int m = 0; m < last; ++m)
      for (double x = 0.25; x < last - 1e-6; x += 0.25) {
        const double end = std::min(x + 0.25, last - 1e-6);
        if (std::cyl_bessel_j(m, x) * std::cyl_bessel_j(m, end) < 0) below += m == 0 ? 1 : 2;
      }
    EXPECT_LT(below, size);
    EXPECT_GE(below, size - 2);
    for (int k = 1; k < size; ++k) EXPECT_GE(basis->mode(k).eigenvalue, basis->mode(k - 1).eigenvalue);
  }
}

TEST(FourierBesselBasis, counts_modes_by_order_and_zero) {
  const auto basis = disk_basis(9);
  NEED_DISK_BASIS(basis);
  const std::vector<std::pair<int, int>> expected = {{0, 1}, {1, 1}, {-1, 1}, {2, 1}, {-2, 1},
                                                     {0, 2}, {3, 1}, {-3, 1}, {1, 2}};
  for (int k = 0; k < 9; ++k)
    EXPECT_EQ(std::make_pair(basis->mode(k).column, basis->mode(k).row), expected[static_cast<size_t>(k)]) << k;
  testing::expect_prefix(*basis, *make_spatial_basis("fourier-bessel", 60));
  testing::expect_error([] { make_spatial_basis("fourier-bessel", 257); }, "fourier-bessel", "K", "257", "256");
  testing::expect_error([] { make_spatial_basis("fourier-bessel", 0); }, "fourier-bessel", "K", "0");
}

}  // namespace
}  // namespace scdcf::basis
