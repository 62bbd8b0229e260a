#include "scdcf/nn/residual_block.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <sstream>

#include "support/layers.h"

namespace scdcf::nn {
namespace {

TEST(ResidualBlock, is_the_identity_when_its_second_convolution_is_zero) {
  ResidualBlock block(ResidualBlockOptions(JointConvOptions(2, 2, basis::ScaleGrid(2, 0.5, 3.0)).modes(3)));
  testing::to_double(block);
  {
    const torch::NoGradGuard no_grad;
    block->conv2->coefficients.zero_();
  }
  const auto x = testing::random_tensor({2, 2, 2, 4, 4});
  EXPECT_TRUE(torch::equal(block(x), x));
  EXPECT_TRUE(block->shortcut.is_empty());
}

TEST(ResidualBlock, changes_channels_and_size_and_survives_cloning_and_saving) {
  torch::manual_seed(4);
  const auto options =
      ResidualBlockOptions(JointConvOptions(2, 5, basis::ScaleGrid(2, 0.5, 3.0)).modes(3).stride(2)).dropout(0.3);
  ResidualBlock block(options), loaded(options);
  std::stringstream stream;
  torch::save(block, stream);
  torch::load(loaded, stream);
  for (auto* module : {&block, &loaded}) {
    (*module)->eval();
    testing::to_double(*module);
  }
  const auto x = testing::random_tensor({2, 2, 2, 5, 7});
  EXPECT_EQ(block(x).sizes(), (std::vector<int64_t>{2, 5, 2, 3, 4}));
  EXPECT_TRUE(torch::equal(block(x), loaded(x)));
  const auto copy = std::dynamic_pointer_cast<ResidualBlockImpl>(block->clone());
  EXPECT_TRUE(torch::equal(block(x), copy->forward(x)));
}

TEST(ResidualBlock, keeps_maps_zero_where_asked_to) {
  torch::manual_seed(5);
  const auto conv = JointConvOptions(2, 3, basis::ScaleGrid(2, 0.5, 3.0)).modes(3).bias(false);
  const torch::NoGradGuard no_grad;
  for (const bool keeps : {true, false}) {
    ResidualBlock block(ResidualBlockOptions(conv).keeps_zero(keeps));
    testing::to_double(block);
    for (auto* norm : {&block->norm1, &block->norm2}) (*norm)->bias.fill_(0.5);
    auto x = testing::random_tensor({3, 2, 2, 5, 5});
    x[1].zero_();
    for (const bool training : {true, false}) {
      block->train(training);
      const double of_zero = block(x)[1].abs().max().item<double>();
      EXPECT_EQ(of_zero < 1e-12, keeps) << of_zero;
    }
  }
}

TEST(ResidualBlock, has_the_gradients_of_central_differences) {
  testing::expect_layer_gradients(
      ResidualBlock(
          ResidualBlockOptions(JointConvOptions(2, 3, basis::ScaleGrid(2, 0.5, 3.0)).modes(2).scale_taps(2).stride(2))),
      {2, 2, 2, 4, 4});
}

}  // namespace
}  // namespace scdcf::nn
