#include "scdcf/models/parameter_budget.h"

#include <gtest/gtest.h>

namespace scdcf::models {
namespace {

double product(const std::vector<int64_t>& channels) { return static_cast<double>(channels[0] * channels[1]); }

TEST(ParameterBudget, keeps_the_channels_whose_count_is_the_target) {
  EXPECT_EQ(match_parameters({32, 64}, 32 * 64, product), (std::vector<int64_t>{32, 64}));
}

TEST(ParameterBudget, scales_all_channels_alike) {
  const auto wider = match_parameters({32, 64}, 4 * 32 * 64, product);
  EXPECT_NEAR(static_cast<double>(wider[0]), 64, 1);
  EXPECT_NEAR(static_cast<double>(wider[1]), 128, 1);
  EXPECT_NEAR(product(wider), 4 * 32 * 64, 0.01 * 4 * 32 * 64);
}

TEST(ParameterBudget, comes_as_close_as_it_can_with_at_least_one_channel) {
  EXPECT_EQ(match_parameters({8, 16}, 0, product), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(match_parameters({8, 16}, 1e9, product), (std::vector<int64_t>{32, 64}));  // four times the base
}

TEST(ParameterBudget, gives_multiples_where_asked_to) {
  EXPECT_EQ(match_parameters({32, 64}, 49.0 * 97, product, 8), (std::vector<int64_t>{48, 96}));
  EXPECT_EQ(match_parameters({8, 16}, 0, product, 8), (std::vector<int64_t>{8, 8}));
}

}  // namespace
}  // namespace scdcf::models
