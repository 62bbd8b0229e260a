#include "scdcf/models/black_ground.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace scdcf::models {
namespace {

TEST(BlackGround, takes_off_what_black_became_and_its_derivative_is_that_of_the_difference) {
  torch::manual_seed(3);
  const auto frames = torch::rand({4, 1, 8, 8}, torch::kDouble);
  const BlackGround ground(/*kept=*/true, frames, /*training=*/true);
  ASSERT_EQ(ground.frames().size(0), 5);
  EXPECT_EQ(ground.frames()[4].abs().max().item<double>(), 0);
  nn::NormReluPool end(nn::NormReluPoolOptions(3));
  for (const auto& shape : {std::vector<int64_t>{5, 3, 2, 4, 4}, std::vector<int64_t>{5, 3, 4, 4}}) {
    const auto maps = torch::rand(shape, torch::kDouble).requires_grad_();
    const auto expected = maps - maps.narrow(0, 4, 1).narrow(-2, 0, 1).narrow(-1, 0, 1);
    const auto removed = ground.removed(maps, *end);
    EXPECT_TRUE(torch::equal(removed, expected));
    const auto weights = torch::randn_like(maps);
    const auto derivative = torch::autograd::grad({(removed * weights).sum()}, {maps})[0];
    EXPECT_TRUE(torch::allclose(derivative, torch::autograd::grad({(expected * weights).sum()}, {maps})[0]));
  }
}

}  // namespace
}  // namespace scdcf::models
