#include "scdcf/nn/centring.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "support/layers.h"

namespace scdcf::nn {
namespace {

TEST(Centring, changes_nothing_in_front_of_a_linear_layer_and_its_norm_while_training) {
  torch::manual_seed(4);
  Centring centring(5);
  torch::nn::Linear linear(torch::nn::LinearOptions(5, 3).bias(false));
  torch::nn::BatchNorm1d norm(3);
  testing::to_double(centring);
  testing::to_double(linear);
  testing::to_double(norm);
  const auto x = testing::random_tensor({8, 5}) + 3;
  EXPECT_TRUE(torch::allclose(norm(linear(centring(x))), norm(linear(x))));
}

TEST(Centring, remembers_the_mean_of_its_first_batches_with_no_share_of_a_starting_value) {
  Centring centring(2);
  testing::to_double(centring);
  const auto first = testing::random_tensor({4, 2}) + 7, second = testing::random_tensor({4, 2}) - 2;
  centring(first);
  EXPECT_TRUE(torch::allclose(centring->running_mean, first.mean(0)));
  centring(second);
  EXPECT_TRUE(torch::allclose(centring->running_mean, (first.mean(0) + second.mean(0)) / 2));
  for (int i = 0; i < 200; ++i) centring(second);
  centring->eval();
  EXPECT_LT((centring(second) - (second - second.mean(0))).abs().max().item<double>(), 1e-6);
}

}  // namespace
}  // namespace scdcf::nn
