#include "scdcf/basis/spatial_basis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "support/expect_error.h"

namespace scdcf::basis {
namespace {

constexpr double kPiSquaredOver4 = 2.46740110027233965471;

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

using IndexSet = std::set<std::pair<int, int>>;

IndexSet indices(const SpatialBasis& basis) {
  IndexSet result;
  for (const auto& mode : basis.modes()) result.emplace(mode.column, mode.row);
  return result;
}

IndexSet all_with(const std::function<bool(int, int)>& condition) {
  IndexSet result;
  for (int a = 0; a < 30; ++a)
    for (int b = 0; b < 30; ++b)
      if (condition(a, b)) result.emplace(a, b);
  return result;
}

void expect_prefix(const SpatialBasis& shorter, const SpatialBasis& longer) {
  for (int k = 0; k < shorter.size(); ++k) {
    EXPECT_EQ(shorter.mode(k).column, longer.mode(k).column) << shorter.name() << " " << k;
    EXPECT_EQ(shorter.mode(k).row, longer.mode(k).row) << shorter.name() << " " << k;
    EXPECT_EQ(shorter.value(k, 0.21, -0.43), longer.value(k, 0.21, -0.43)) << shorter.name() << " " << k;
  }
}

TEST(SineBasis, fifteen_modes_are_those_up_to_25) {
  const auto cut = [](int limit) {
    return all_with([limit](int a, int b) { return (a + 1) * (a + 1) + (b + 1) * (b + 1) <= limit; });
  };
  EXPECT_EQ(indices(*make_spatial_basis("sine", 15)), cut(25));
  EXPECT_EQ(indices(*make_spatial_basis("sine", 8)), cut(13));
}

TEST(SineBasis, is_ordered_by_eigenvalue_then_larger_index_then_column) {
  const auto basis = make_spatial_basis("sine", 200);
  const auto key = [](const SpatialMode& mode) {
    const int a = mode.column + 1, b = mode.row + 1;
    return std::make_tuple(a * a + b * b, std::max(a, b), a);
  };
  EXPECT_EQ(indices(*basis).size(), 200U);
  for (int k = 1; k < 200; ++k) EXPECT_LT(key(basis->mode(k - 1)), key(basis->mode(k))) << "mode " << k;
  for (const auto& mode : basis->modes())
    EXPECT_NEAR(mode.eigenvalue / (kPiSquaredOver4 * std::get<0>(key(mode))), 1, 1e-14);
}

TEST(SineBasis, skips_no_smaller_eigenvalue) {
  for (const int size : {1, 2, 3, 7, 20, 100, 500}) {
    const auto basis = make_spatial_basis("sine", size);
    const double last = basis->modes().back().eigenvalue / kPiSquaredOver4;
    const auto below = all_with([last](int a, int b) { return (a + 1) * (a + 1) + (b + 1) * (b + 1) < last - 0.5; });
    const auto chosen = indices(*basis);
    EXPECT_TRUE(std::includes(chosen.begin(), chosen.end(), below.begin(), below.end())) << size << " modes";
  }
}

TEST(SineBasis, is_the_product_of_its_factors) {
  const auto basis = make_spatial_basis("sine", 15);
  ASSERT_TRUE(basis->is_separable());
  EXPECT_TRUE(basis->is_dirichlet());
  for (int k = 0; k < 15; ++k) {
    const auto& mode = basis->mode(k);
    const auto &columns = *basis->column_family(), &rows = *basis->row_family();
    EXPECT_DOUBLE_EQ(basis->value(k, 0.3, -0.7), columns.value(mode.column, 0.3) * rows.value(mode.row, -0.7));
    EXPECT_DOUBLE_EQ(basis->integral(k, -0.2, 0.5, 0.1, 0.9),
                     columns.integral(mode.column, -0.2, 0.5) * rows.integral(mode.row, 0.1, 0.9));
  }
}

TEST(HermiteGaussBasis, fifteen_modes_are_those_of_total_order_up_to_4) {
  EXPECT_EQ(indices(*make_spatial_basis("hermite-gauss", 15)), all_with([](int a, int b) { return a + b <= 4; }));
  EXPECT_FALSE(make_spatial_basis("hermite-gauss", 15)->is_dirichlet());
}

TEST(BsplineBasis, a_square_number_of_modes_is_the_whole_grid) {
  EXPECT_EQ(indices(*make_spatial_basis("bspline", 16)), all_with([](int a, int b) { return a < 4 && b < 4; }));
}

TEST(SpatialBasis, more_modes_do_not_change_the_first_ones) {
  for (const char* name : {"sine", "hermite-gauss"})
    for (const int size : {1, 5, 8, 15, 40})
      expect_prefix(*make_spatial_basis(name, size), *make_spatial_basis(name, 97));
}

TEST(SpatialBasis, bad_sizes_and_names_fail) {
  testing::expect_error([] { make_spatial_basis("cosine", 4); }, "\"cosine\"", "sine", "hermite-gauss", "bspline",
                        "fourier-bessel");
  for (const auto& name : {"sine", "hermite-gauss", "bspline"})
    for (const int size : {0, -1, 4097})
      testing::expect_error([&] { make_spatial_basis(name, size); }, name, "K", std::to_string(size).c_str());
  testing::expect_error([] { make_separable_basis("mine", make_sine_family(3), 10); }, "mine", "K", "10", "9");
  testing::expect_error([] { make_separable_basis("mine", nullptr, 1); }, "mine", "family");
  // 46341 squared is more than an int holds.
  testing::expect_error([] { make_separable_basis("mine", make_sine_family(46341), 15); }, "mine", "46341", "4096");
}

TEST(Registry, a_registered_basis_is_found_by_name) {
  register_spatial_basis("test-sharp-gauss", [](int size) {
    return make_separable_basis("test-sharp-gauss", make_hermite_gauss_family(size, 0.125), size);
  });
  EXPECT_NEAR(make_spatial_basis("test-sharp-gauss", 3)->value(0, 0.125, 0), std::exp(-0.5), 1e-15);
  const auto names = spatial_basis_names();
  EXPECT_EQ(std::count(names.begin(), names.end(), "test-sharp-gauss"), 1);
}

TEST(Registry, a_taken_or_empty_name_fails) {
  const auto factory = [](int size) { return make_spatial_basis("sine", size); };
  register_spatial_basis("test-twice", factory);
  testing::expect_error([&] { register_spatial_basis("test-twice", factory); }, "test-twice", "taken");
  testing::expect_error([&] { register_spatial_basis("sine", factory); }, "sine", "taken");
  testing::expect_error([&] { register_spatial_basis("", factory); }, "name");
  testing::expect_error([] { register_spatial_basis("test-null", nullptr); }, "factory", "test-null");
}

TEST(Registry, a_factory_must_return_the_modes_asked_for) {
  register_spatial_basis("test-short", [](int size) { return make_spatial_basis("sine", size + 1); });
  register_spatial_basis("test-nothing", [](int) { return SpatialBasisPtr(); });
  testing::expect_error([] { make_spatial_basis("test-short", 4); }, "test-short", "4");
  testing::expect_error([] { make_spatial_basis("test-nothing", 4); }, "test-nothing", "4");
}

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
  expect_prefix(*basis, *make_spatial_basis("fourier-bessel", 60));
  testing::expect_error([] { make_spatial_basis("fourier-bessel", 257); }, "fourier-bessel", "K", "257", "256");
  testing::expect_error([] { make_spatial_basis("fourier-bessel", 0); }, "fourier-bessel", "K", "0");
}

}  // namespace
}  // namespace scdcf::basis
