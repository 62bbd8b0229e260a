// Bases that are products of two families: which modes they have, and in what order.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <tuple>

#include "basis/spatial_prefix.h"
#include "scdcf/basis/family.h"
#include "scdcf/basis/spatial_basis.h"
#include "support/expect_error.h"

namespace scdcf::basis {
namespace {

constexpr double kPiSquaredOver4 = 2.46740110027233965471;

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

TEST(SeparableBasis, more_modes_do_not_change_the_first_ones) {
  for (const char* name : {"sine", "hermite-gauss"})
    for (const int size : {1, 5, 8, 15, 40})
      testing::expect_prefix(*make_spatial_basis(name, size), *make_spatial_basis(name, 97));
}

TEST(SeparableBasis, bad_sizes_and_names_fail) {
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

}  // namespace
}  // namespace scdcf::basis
