#include "scdcf/theory/bounds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/expect_error.h"

namespace scdcf::theory {
namespace {

TEST(Bounds, theorem2_by_hand) {
  // 2^(beta+1) (4 L |grad tau| + |tau|/h) ||x||, beta = 1, L = 3, |grad tau| = 0.1, |tau| = 2, h = 4, ||x|| = 5
  EXPECT_NEAR(theorem2_bound({1, 3, 0.1, 2, 4, 5}), 4 * (4 * 3 * 0.1 + 0.5) * 5, 1e-12);
}

TEST(Bounds, theorem3_adds_a_term_that_halves_with_the_finest_width) {
  const BoundTerms wide{0.5, 2, 0, 0, 4, 1}, narrow{0.5, 2, 0, 0, 2, 1};
  EXPECT_NEAR(theorem3_bound(wide, 3), (1 + std::exp2(0.5)) * 6 * std::sqrt(2.0) * 4 * 3, 1e-9);
  EXPECT_NEAR(theorem3_bound(narrow, 3), theorem3_bound(wide, 3) / 2, 1e-9);
  const BoundTerms deformed{0.5, 2, 0.1, 1, 4, 1};
  EXPECT_GT(theorem3_bound(deformed, 3), theorem3_bound(wide, 3) + theorem2_bound(deformed));
}

TEST(Bounds, assumptions_are_checked) {
  testing::expect_error([] { theorem2_bound({0, 1, 0.2, 0, 1, 1}); }, "1/5", "got 0.2");
  testing::expect_error([] { theorem2_bound({0, 0, 0.1, 0, 1, 1}); }, "layers", "got 0");
  testing::expect_error([] { theorem2_bound({0, 1, 0.1, 0, 0, 1}); }, "finest_half_width");
}

}  // namespace
}  // namespace scdcf::theory
