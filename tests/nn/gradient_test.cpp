#include <gtest/gtest.h>
#include <torch/torch.h>

#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"
#include "scdcf/nn/pooling.h"
#include "scdcf/nn/residual_block.h"
#include "support/device.h"
#include "support/gradcheck.h"

namespace scdcf::nn {
namespace {

/// Central differences over every entry of every parameter of a layer.
template <class Layer>
void expect_parameter_gradients(Layer layer, std::vector<int64_t> input_shape) {
  torch::manual_seed(12);
  layer->to(testing::device());
  layer->to(torch::kDouble);
  const auto x = torch::randn(input_shape, testing::on_device(torch::kDouble));
  const auto weights = torch::randn_like(layer->forward(x)).detach();
  const auto loss = [&] { return (layer->forward(x) * weights).sum(); };
  layer->zero_grad();
  loss().backward();
  const torch::NoGradGuard no_grad;
  constexpr double kStep = 1e-5;
  for (auto& item : layer->named_parameters()) {
    auto flat = item.value().view({-1});
    const auto gradient = item.value().grad().reshape({-1});
    for (int64_t i = 0; i < flat.numel(); ++i) {
      const double before = flat[i].template item<double>();
      flat[i] = before + kStep;
      const double above = loss().template item<double>();
      flat[i] = before - kStep;
      const double below = loss().template item<double>();
      flat[i] = before;
      const double expected = (above - below) / (2 * kStep);
      ASSERT_NEAR(gradient[i].template item<double>(), expected, 1e-5 * (1 + std::abs(expected)))
          << item.key() << " " << i;
    }
  }
}

/// The same over every entry of the input.
template <class Layer>
void expect_input_gradients(Layer layer, std::vector<int64_t> input_shape) {
  torch::manual_seed(13);
  layer->to(testing::device());
  layer->to(torch::kDouble);
  testing::expect_gradients([&](const auto& in) { return layer->forward(in[0]); },
                            {torch::randn(input_shape, testing::on_device(torch::kDouble))}, 1e-5);
}

const basis::ScaleGrid kSmall(2, 0.5, 3.0);

TEST(Gradients, lifting_conv) {
  const auto layer = LiftingConv(LiftingConvOptions(2, 2, kSmall).modes(3));
  expect_input_gradients(layer, {1, 2, 4, 3});
  expect_parameter_gradients(layer, {1, 2, 4, 3});
}

TEST(Gradients, joint_conv) {
  const auto layer = JointConv(JointConvOptions(2, 2, kSmall).modes(3).scale_taps(2));
  expect_input_gradients(layer, {1, 2, 2, 4, 3});
  expect_parameter_gradients(layer, {1, 2, 2, 4, 3});
}

TEST(Gradients, joint_conv_transpose) {
  const auto layer = JointConvTranspose(JointConvOptions(2, 2, kSmall).modes(3).scale_taps(2).stride(2));
  expect_input_gradients(layer, {1, 2, 2, 3, 2});
  expect_parameter_gradients(layer, {1, 2, 2, 3, 2});
}

TEST(Gradients, pointwise_conv) {
  const auto layer = PointwiseConv(PointwiseConvOptions(2, 3).scale_taps(2).stride(2));
  expect_input_gradients(layer, {1, 2, 2, 4, 3});
  expect_parameter_gradients(layer, {1, 2, 2, 4, 3});
}

TEST(Gradients, residual_block) {
  const auto layer =
      ResidualBlock(ResidualBlockOptions(JointConvOptions(2, 3, kSmall).modes(2).scale_taps(2).stride(2)));
  expect_input_gradients(layer, {2, 2, 2, 4, 4});
  expect_parameter_gradients(layer, {2, 2, 2, 4, 4});
}

TEST(Gradients, batch_norm_pooling_projection_and_upsampling) {
  expect_input_gradients(ScaleBatchNorm(2), {2, 2, 2, 2, 2});
  expect_input_gradients(SpatialAvgPool(), {1, 2, 2, 4, 4});
  expect_input_gradients(SpatialMaxPool(), {1, 2, 2, 4, 4});
  expect_input_gradients(ScaleMaxProjection(), {1, 2, 3, 3, 3});
  expect_input_gradients(ScaleMeanProjection(), {1, 2, 3, 3, 3});
  expect_input_gradients(SpatialUpsample(2, UpsampleMode::bilinear), {1, 2, 2, 3, 3});
  expect_input_gradients(SpatialUpsample(3), {1, 1, 2, 2, 2});
}

}  // namespace
}  // namespace scdcf::nn
