#include "scdcf/verify/small_net.h"

#include <gtest/gtest.h>

namespace scdcf::verify {
namespace {

SmallNet net(uint64_t seed) { return {basis::ScaleGrid(5, 0.5, 6), 3, 3, nn::ScalePadding::replicate, seed}; }

TEST(SmallNetTest, has_the_features_of_every_layer) {
  const auto features = net(1).features(torch::rand({2, 1, 16, 16}));
  ASSERT_EQ(features.size(), 3U);
  for (const auto& maps : features) {
    EXPECT_EQ(maps.sizes(), (std::vector<int64_t>{2, 4, 5, 16, 16}));
    EXPECT_GE(maps.min().item<double>(), 0);
  }
}

TEST(SmallNetTest, is_the_same_for_the_same_seed) {
  const auto image = torch::rand({1, 1, 16, 16});
  EXPECT_TRUE(torch::equal(net(1).features(image).back(), net(1).features(image).back()));
  EXPECT_FALSE(torch::equal(net(1).features(image).back(), net(2).features(image).back()));
}

TEST(SmallNetTest, saturated_lies_on_the_edge_of_assumption_a2) {
  for (const bool aligned : {false, true}) {
    auto saturated = net(3);
    if (aligned) saturated.align();
    saturated.saturate_stability();
    EXPECT_NEAR(theory::stability_constant(*saturated.lifting), 1, 1e-5);
    for (const auto& joint : saturated.joints) EXPECT_NEAR(theory::stability_constant(*joint), 1, 1e-5);
  }
}

}  // namespace
}  // namespace scdcf::verify
