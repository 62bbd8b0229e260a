#include "scdcf/nn/joint_conv.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "scdcf/nn/read_out.h"
#include "support/device.h"
#include "support/direct_sum.h"
#include "support/expect_error.h"
#include "support/layers.h"

namespace scdcf::nn {
namespace {

TEST(JointConv, computes_eq_lth_layer_with_bias) {
  torch::manual_seed(2);
  JointConv layer(JointConvOptions(2, 3, basis::ScaleGrid(3, 0.5, 3.0)).modes(5).scale_taps(3).scale_modes(2));
  layer->to(testing::device());
  {
    const torch::NoGradGuard no_grad;
    layer->bias.normal_();
  }
  const auto x = testing::random_tensor({2, 2, 3, 7, 7}, torch::kFloat);
  const auto expected =
      testing::DirectSum()(x, layer->coefficients, layer->expansion().scale_basis_like(layer->coefficients),
                           layer->expansion().filters().sampled()) +
      layer->bias.detach().cpu().to(torch::kDouble).view({1, -1, 1, 1, 1});
  EXPECT_LT(testing::relative_error(layer(x), expected), 1e-5);
}

TEST(JointConv, one_tap_is_a_basis_of_one_and_left_out) {
  torch::manual_seed(6);
  for (const auto algorithm : {ops::Algorithm::composed, ops::Algorithm::separable}) {
    const auto options =
        JointConvOptions(2, 3, basis::ScaleGrid(3, 0.5, 3.0)).modes(5).algorithm(algorithm).bias(false);
    JointConv one(JointConvOptions(options).scale_taps(1));
    one->to(testing::device(), torch::kDouble);
    const auto& expansion = one->expansion();
    EXPECT_FALSE(expansion.scale_weights_like(one->coefficients).defined());
    const auto x = testing::random_tensor({2, 2, 3, 7, 7}, torch::kDouble);
    const auto expected = ops::joint_conv(x, one->coefficients, expansion.scale_basis_like(one->coefficients),
                                          expansion.filters(), expansion.sources(), {}, algorithm);
    EXPECT_LT(testing::relative_error(one(x), expected), 1e-14);
    JointConv three(JointConvOptions(options).scale_taps(3));
    three->to(testing::device(), torch::kDouble);
    EXPECT_TRUE(three->expansion().scale_weights_like(three->coefficients).defined());
    testing::expect_error(
        [&] { ops::joint_conv(x, three->coefficients, {}, expansion.filters(), expansion.sources(), {}, algorithm); },
        "scale basis: got none", "[3, taps]");
  }
}

TEST(JointConv, at_the_centre_equals_the_centre_of_the_whole) {
  torch::manual_seed(3);
  for (const auto padding : {SpatialPadding::zero, SpatialPadding::replicate})
    for (const int64_t size : {1, 4, 7, 12}) {  // narrower than the filters, and wider
      JointConv layer(JointConvOptions(3, 4, basis::ScaleGrid(3, 0.5, 4.0)).modes(8).scale_taps(1).padding(padding));
      layer->to(testing::device(), torch::kDouble);
      {
        const torch::NoGradGuard no_grad;
        layer->bias.normal_();
      }
      const auto x = testing::random_tensor({2, 3, 3, size, size + 1}, torch::kDouble).requires_grad_();
      const auto whole = centre_of(layer(x)), alone = layer->at_centre(x);
      EXPECT_LT(testing::relative_error(alone, whole), 1e-12) << size;
      // So do the gradients.
      const auto weights = torch::randn_like(whole);
      const auto of = [&](const torch::Tensor& y) {
        return torch::autograd::grad({(y * weights).sum()}, {x, layer->coefficients});
      };
      const auto from_whole = of(whole), from_alone = of(alone);
      for (size_t i = 0; i < 2; ++i) EXPECT_LT(testing::relative_error(from_alone[i], from_whole[i]), 1e-12) << size;
    }
}

TEST(JointConv, at_the_centre_needs_planes_that_keep_apart) {
  JointConv taps(JointConvOptions(1, 1, basis::ScaleGrid(2, 0.5, 4.0)).scale_taps(2));
  testing::expect_error([&] { taps->at_centre(torch::zeros({1, 1, 2, 5, 5})); }, "2 scale taps", "one tap");
  JointConv three(JointConvOptions(3, 4, basis::ScaleGrid(1, 1, 3)).modes(3));
  testing::expect_error([&] { three->at_centre(torch::zeros({2, 6, 1, 8, 8})); }, "got 6 channels", "expected 3");
}

TEST(JointConv, with_one_tap_keeps_scales_apart) {
  // Remark 1: the output at a scale depends on the input at that scale alone.
  JointConv layer(JointConvOptions(2, 2, basis::ScaleGrid(3, 0.5, 3.0)).modes(3).scale_taps(1));
  layer->to(testing::device());
  const auto x = testing::random_tensor({1, 2, 3, 7, 7}, torch::kFloat);
  auto changed = x.clone();
  changed.select(2, 1).normal_();
  const auto difference = (layer(x) - layer(changed)).abs().sum({0, 1, 3, 4});
  EXPECT_EQ(difference[0].item<float>(), 0);
  EXPECT_GT(difference[1].item<float>(), 0);
  EXPECT_EQ(difference[2].item<float>(), 0);
}

TEST(JointConv, strides_and_padding_change_sizes_as_documented) {
  const auto x = testing::random_tensor({1, 2, 3, 9, 9}, torch::kFloat);
  const auto options = JointConvOptions(2, 3, basis::ScaleGrid(3, 0.5, 3.0)).modes(3);
  JointConv strided(JointConvOptions(options).stride(2));
  JointConv inner(JointConvOptions(options).padding(SpatialPadding::none));
  strided->to(testing::device());
  inner->to(testing::device());
  EXPECT_EQ(strided(x).sizes(), (std::vector<int64_t>{1, 3, 3, 5, 5}));
  EXPECT_EQ(inner(x).sizes(), (std::vector<int64_t>{1, 3, 3, 3, 3}));  // widest filter 6 px: radius 3
}

TEST(JointConv, has_the_gradients_of_central_differences) {
  testing::expect_layer_gradients(
      JointConv(JointConvOptions(2, 2, basis::ScaleGrid(2, 0.5, 3.0)).modes(3).scale_taps(2)), {1, 2, 2, 4, 3});
}

TEST(JointConv, refuses_features_of_other_scales_and_none_at_all) {
  JointConv layer(JointConvOptions(2, 2, basis::ScaleGrid(3, 0.5, 3.0)).modes(3));
  testing::expect_error([&] { layer(torch::randn({1, 2, 5, 5})); }, "JointConv", "[N, C, S, H, W]");
  testing::expect_error([&] { layer(torch::randn({1, 2, 4, 5, 5})); }, "4 scales", "expected 3");
  testing::expect_error([&] { layer(torch::randn({1, 2, 3, 0, 5})); }, "0 x 5 pixels");
}

}  // namespace
}  // namespace scdcf::nn
