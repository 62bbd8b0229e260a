#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"
#include "scdcf/nn/pointwise_conv.h"
#include "scdcf/nn/pooling.h"
#include "support/device.h"
#include "support/direct_sum.h"
#include "support/expect_error.h"

namespace scdcf::nn {
namespace {

using testing::device;
using testing::expect_error;
using testing::relative_error;

const basis::ScaleGrid kGrid(3, 0.5, 3.0);

torch::Tensor features(int64_t batch, int64_t channels, int64_t scales, int64_t size) {
  return torch::randn({batch, channels, scales, size, size}, testing::on_device(torch::kFloat));
}

TEST(LiftingConv, computes_eq_1st_layer_with_bias) {
  torch::manual_seed(1);
  LiftingConv layer(LiftingConvOptions(2, 3, kGrid).modes(5));
  layer->to(device());
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
  EXPECT_LT(relative_error(layer(image), expected), 1e-5);
}

TEST(JointConv, computes_eq_lth_layer_with_bias) {
  torch::manual_seed(2);
  JointConv layer(JointConvOptions(2, 3, kGrid).modes(5).scale_taps(3).scale_modes(2));
  layer->to(device());
  {
    const torch::NoGradGuard no_grad;
    layer->bias.normal_();
  }
  const auto x = features(2, 2, 3, 7);
  const auto expected =
      testing::DirectSum()(x, layer->coefficients, layer->expansion().scale_basis_like(layer->coefficients),
                           layer->expansion().filters().sampled()) +
      layer->bias.detach().cpu().to(torch::kDouble).view({1, -1, 1, 1, 1});
  EXPECT_LT(relative_error(layer(x), expected), 1e-5);
}

TEST(JointConv, with_one_tap_keeps_scales_apart) {
  // Remark 1: the output at a scale depends on the input at that scale alone.
  JointConv layer(JointConvOptions(2, 2, kGrid).modes(3).scale_taps(1));
  layer->to(device());
  const auto x = features(1, 2, 3, 7);
  auto changed = x.clone();
  changed.select(2, 1).normal_();
  const auto difference = (layer(x) - layer(changed)).abs().sum({0, 1, 3, 4});
  EXPECT_EQ(difference[0].item<float>(), 0);
  EXPECT_GT(difference[1].item<float>(), 0);
  EXPECT_EQ(difference[2].item<float>(), 0);
}

TEST(JointConv, strides_and_transposes_change_sizes_as_documented) {
  const auto x = features(1, 2, 3, 9);
  const auto options = JointConvOptions(2, 3, kGrid).modes(3);
  JointConv strided(JointConvOptions(options).stride(2));
  JointConvTranspose grown(JointConvOptions(options).stride(2));
  JointConv inner(JointConvOptions(options).padding(SpatialPadding::none));
  strided->to(device());
  grown->to(device());
  inner->to(device());
  EXPECT_EQ(strided(x).sizes(), (std::vector<int64_t>{1, 3, 3, 5, 5}));
  EXPECT_EQ(grown(x).sizes(), (std::vector<int64_t>{1, 3, 3, 18, 18}));
  EXPECT_EQ(inner(x).sizes(), (std::vector<int64_t>{1, 3, 3, 3, 3}));  // widest filter 6 px: radius 3
}

TEST(Layers, compose_in_a_sequential_train_and_move_to_the_device) {
  torch::manual_seed(3);
  torch::nn::Sequential net(LiftingConv(LiftingConvOptions(1, 4, kGrid).modes(6).bias(false)), ScaleBatchNorm(4),
                            torch::nn::ReLU(), SpatialAvgPool(), JointConv(JointConvOptions(4, 6, kGrid).modes(6)),
                            torch::nn::ReLU(), ScaleMaxProjection(), torch::nn::Flatten(),
                            torch::nn::Linear(6 * 16, 2));
  net->to(device());
  const auto images = torch::randn({16, 1, 8, 8}, testing::on_device(torch::kFloat));
  const auto labels = (images.mean({1, 2, 3}) > 0).to(torch::kLong);
  torch::optim::Adam optimizer(net->parameters(), 0.02);
  float first = 0, last = 0;
  for (int step = 0; step < 40; ++step) {
    optimizer.zero_grad();
    const auto loss = torch::nn::functional::cross_entropy(net->forward(images), labels);
    loss.backward();
    optimizer.step();
    last = loss.item<float>();
    if (step == 0) first = last;
  }
  EXPECT_LT(last, first / 4);
}

TEST(Layers, save_and_load_give_the_same_output_and_hold_only_coefficients) {
  torch::manual_seed(4);
  const auto options = JointConvOptions(2, 3, kGrid).modes(5);
  JointConv saved(options), loaded(options);
  std::stringstream stream;
  torch::save(saved, stream);
  torch::load(loaded, stream);
  saved->to(device());
  loaded->to(device());
  const auto x = features(2, 2, 3, 6);
  EXPECT_TRUE(torch::equal(saved(x), loaded(x)));
  EXPECT_EQ(saved->named_parameters().keys(), (std::vector<std::string>{"coefficients", "bias"}));
  EXPECT_TRUE(saved->buffers().empty());
}

TEST(Layers, clone_is_deep) {
  JointConv layer(JointConvOptions(2, 2, kGrid).modes(3));
  layer->to(device());
  const auto copy = std::dynamic_pointer_cast<JointConvImpl>(layer->clone());
  const auto x = features(1, 2, 3, 6);
  const auto before = layer(x);
  EXPECT_TRUE(torch::equal(copy->forward(x), before));
  {
    const torch::NoGradGuard no_grad;
    copy->coefficients.zero_();
  }
  EXPECT_TRUE(torch::equal(layer(x), before));
}

TEST(Layers, work_in_double_after_having_worked_in_float) {
  // The converted filters are cached; the cache must follow the type.
  JointConv layer(JointConvOptions(2, 2, kGrid).modes(3));
  layer->to(device());
  const auto x = features(1, 2, 3, 6);
  const auto single = layer(x);
  layer->to(torch::kDouble);
  EXPECT_LT(relative_error(single, layer(x.to(torch::kDouble))), 1e-5);
}

TEST(Layers, print_themselves_readably) {
  std::ostringstream text;
  text << LiftingConv(LiftingConvOptions(1, 4, kGrid).modes(6).bias(false)) << '\n'
       << JointConv(JointConvOptions(2, 3, kGrid).modes(5).stride(2)) << '\n'
       << PointwiseConv(PointwiseConvOptions(2, 3)) << '\n'
       << SpatialAvgPool(SpatialPoolOptions(4).padding(2));
  EXPECT_EQ(
      text.str(),
      "scdcf::nn::LiftingConv(1 -> 4, 3 scales, widths 3 .. 6 px, sine K=6, no bias)\n"
      "scdcf::nn::JointConv(2 -> 3, 3 scales, widths 3 .. 6 px, sine K=5, K_alpha=3, L_alpha=3 one-sided replicate, "
      "stride 2)\n"
      "scdcf::nn::PointwiseConv(2 -> 3)\n"
      "scdcf::nn::SpatialAvgPool(window 4, padding 2)");
}

TEST(Layers, options_out_of_range_are_named) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_error([] { LiftingConv(LiftingConvOptions(0, 1, kGrid)); }, "in_channels", "got 0");
  expect_error([] { LiftingConv(LiftingConvOptions(1, -2, kGrid)); }, "out_channels", "got -2");
  expect_error([] { LiftingConv(LiftingConvOptions(1, 1, kGrid).modes(0)); }, "modes K", "got 0");
  expect_error([] { LiftingConv(LiftingConvOptions(1, 1, kGrid).modes(1 << 20)); }, "modes K", "got 1048576");
  expect_error([] { LiftingConv(LiftingConvOptions(1, 1, kGrid).basis("cosine")); }, "cosine", "sine", "bspline");
  expect_error([] { LiftingConv(LiftingConvOptions(1, 1, kGrid).stride(3)); }, "stride", "got 3");
  expect_error([] { LiftingConv(LiftingConvOptions(1, 1, kGrid).max_kernel_size(4)); }, "max_kernel_size", "even");
  expect_error([] { LiftingConv(LiftingConvOptions(1, 1, kGrid).max_kernel_size(-3)); }, "max_kernel_size", "-3");
  expect_error([] { LiftingConv(LiftingConvOptions(1, 1, basis::ScaleGrid(2, 0.5, 1.0)).modes(8)); }, "finest_width",
               "narrow");
  expect_error([&] { basis::ScaleGrid(3, 0.5, nan); }, "finest_width", "nan");
  expect_error([&] { basis::ScaleGrid(3, nan, 3); }, "step", "nan");
  expect_error([] { basis::ScaleGrid(0, 0.5, 3); }, "count", "got 0");
  expect_error([] { basis::ScaleGrid(60, 1, 3); }, "coarsest width");
  expect_error([] { JointConv(JointConvOptions(1, 1, kGrid).scale_taps(0)); }, "L_alpha", "got 0");
  expect_error([] { JointConv(JointConvOptions(1, 1, kGrid).scale_taps(2).scale_modes(3)); }, "K_alpha", "got 3");
  expect_error([] { PointwiseConv(PointwiseConvOptions(1, 1).stride(0)); }, "stride", "got 0");
  expect_error([] { SpatialAvgPool(SpatialPoolOptions(0)); }, "window", "got 0");
  expect_error([] { SpatialMaxPool(SpatialPoolOptions(2).padding(2)); }, "padding", "got 2");
  expect_error([] { SpatialUpsample(0); }, "factor", "got 0");
}

TEST(Layers, inputs_of_the_wrong_shape_are_named) {
  LiftingConv lifting(LiftingConvOptions(1, 2, kGrid).modes(3));
  JointConv joint(JointConvOptions(2, 2, kGrid).modes(3));
  JointConvTranspose transposed(JointConvOptions(2, 2, kGrid).modes(3).padding(SpatialPadding::replicate));
  PointwiseConv pointwise(PointwiseConvOptions(2, 2));
  expect_error([&] { lifting(torch::randn({1, 1, 3, 5, 5})); }, "LiftingConv", "[N, C, H, W]");
  expect_error([&] { lifting(torch::randn({1, 2, 5, 5})); }, "2 channels", "expected 1");
  expect_error([&] { joint(torch::randn({1, 2, 5, 5})); }, "JointConv", "[N, C, S, H, W]");
  expect_error([&] { joint(torch::randn({1, 2, 4, 5, 5})); }, "4 scales", "expected 3");
  expect_error([&] { joint(torch::randn({1, 2, 3, 0, 5})); }, "0 x 5 pixels");
  expect_error([&] { transposed(torch::randn({1, 2, 3, 5, 5})); }, "JointConvTranspose", "padding", "replicate");
  expect_error([&] { pointwise(torch::randn({1, 3, 3, 5, 5})); }, "PointwiseConv", "[N, 2, S, H, W]");
  expect_error([&] { ScaleMaxProjection()(torch::randn({1, 2, 5, 5})); }, "ScaleMaxProjection", "[N, C, S, H, W]");
  expect_error([&] { SpatialAvgPool()(torch::randn({1, 2, 3, 1, 5})); }, "SpatialAvgPool", "1 x 5 pixels");
}

}  // namespace
}  // namespace scdcf::nn
