#include "scdcf/nn/lifting_conv.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "support/device.h"
#include "support/direct_sum.h"
#include "support/expect_error.h"
#include "support/layers.h"
#include "support/patterns.h"

namespace scdcf::nn {
namespace {

TEST(LiftingConv, computes_eq_1st_layer_with_bias) {
  torch::manual_seed(1);
  LiftingConv layer(LiftingConvOptions(2, 3, basis::ScaleGrid(3, 0.5, 3.0)).modes(5));
  layer->to(testing::device());
  {
    const torch::NoGradGuard no_grad;
    layer->bias.normal_();
  }
  const auto image = torch::randn({2, 2, 9, 8}, testing::on_device(torch::kFloat));
  testing::DirectSum direct;
  direct.lifting = true;
  const auto expected =
      direct(image.unsqueeze(2), layer->coefficients, torch::ones({1, 1}), layer->expansion().filters().sampled()) +
      layer->bias.detach().cpu().to(torch::kDouble).view({1, -1, 1, 1, 1});
  EXPECT_LT(testing::relative_error(layer(image), expected), 1e-5);
}

TEST(LiftingConv, all_sizes_of_a_filter_respond_alike_to_a_pattern_of_their_size) {
  const torch::NoGradGuard no_grad;
  torch::manual_seed(8);
  LiftingConv layer(LiftingConvOptions(1, 4, basis::ScaleGrid(3, 1, 7)).basis("log-radial").modes(54).bias(false));
  testing::to_double(layer);
  const auto small = layer->forward(testing::blobs(97)), large = layer->forward(testing::blobs(97, 2));
  for (int64_t s = 0; s < 2; ++s) {
    const auto here = small[0].select(1, s).select(1, 48).select(1, 48);
    const auto there = large[0].select(1, s + 1).select(1, 48).select(1, 48);
    EXPECT_LT(testing::relative_error(there, here), 0.05) << s;
  }
}

TEST(LiftingConv, has_the_gradients_of_central_differences) {
  testing::expect_layer_gradients(LiftingConv(LiftingConvOptions(2, 2, basis::ScaleGrid(2, 0.5, 3.0)).modes(3)),
                                  {1, 2, 4, 3});
}

TEST(LiftingConv, refuses_what_is_no_image) {
  LiftingConv layer(LiftingConvOptions(1, 2, basis::ScaleGrid(3, 0.5, 3.0)).modes(3));
  testing::expect_error([&] { layer(torch::randn({1, 1, 3, 5, 5})); }, "LiftingConv", "[N, C, H, W]");
  testing::expect_error([&] { layer(torch::randn({1, 2, 5, 5})); }, "2 channels", "expected 1");
}

}  // namespace
}  // namespace scdcf::nn
