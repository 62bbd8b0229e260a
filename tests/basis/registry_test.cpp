// Bases by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scdcf/basis/family.h"
#include "scdcf/basis/spatial_basis.h"
#include "support/expect_error.h"

namespace scdcf::basis {
namespace {

TEST(BasisRegistry, a_registered_basis_is_found_by_name) {
  register_spatial_basis("test-sharp-gauss", [](int size) {
    return make_separable_basis("test-sharp-gauss", make_hermite_gauss_family(size, 0.125), size);
  });
  EXPECT_NEAR(make_spatial_basis("test-sharp-gauss", 3)->value(0, 0.125, 0), std::exp(-0.5), 1e-15);
  const auto names = spatial_basis_names();
  EXPECT_EQ(std::count(names.begin(), names.end(), "test-sharp-gauss"), 1);
}

TEST(BasisRegistry, a_taken_or_empty_name_fails) {
  const auto factory = [](int size) { return make_spatial_basis("sine", size); };
  register_spatial_basis("test-twice", factory);
  testing::expect_error([&] { register_spatial_basis("test-twice", factory); }, "test-twice", "taken");
  testing::expect_error([&] { register_spatial_basis("sine", factory); }, "sine", "taken");
  testing::expect_error([&] { register_spatial_basis("", factory); }, "name");
  testing::expect_error([] { register_spatial_basis("test-null", nullptr); }, "factory", "test-null");
}

TEST(BasisRegistry, a_factory_must_return_the_modes_asked_for) {
  register_spatial_basis("test-short", [](int size) { return make_spatial_basis("sine", size + 1); });
  register_spatial_basis("test-nothing", [](int) { return SpatialBasisPtr(); });
  testing::expect_error([] { make_spatial_basis("test-short", 4); }, "test-short", "4");
  testing::expect_error([] { make_spatial_basis("test-nothing", 4); }, "test-nothing", "4");
}

}  // namespace
}  // namespace scdcf::basis
