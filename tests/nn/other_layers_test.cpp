#include <gtest/gtest.h>
#include <torch/torch.h>

#include <sstream>

#include "scdcf/nn/centring.h"
#include "scdcf/nn/pooling.h"
#include "scdcf/nn/residual_block.h"
#include "support/device.h"

namespace scdcf::nn {
namespace {

torch::Tensor random_features(std::vector<int64_t> shape) {
  return torch::randn(shape, testing::on_device(torch::kDouble));
}

TEST(ScaleBatchNorm, has_one_mean_and_variance_per_channel_over_all_scales) {
  torch::manual_seed(1);
  ScaleBatchNorm norm(3);
  norm->to(testing::device());
  norm->to(torch::kDouble);
  // Scales of very different size: a normalisation per scale would make them equal.
  const auto sizes = torch::tensor({1.0, 10.0}).to(testing::device()).view({1, 1, 2, 1, 1});
  const auto out = norm(random_features({4, 3, 2, 5, 5}) * sizes + 2);
  EXPECT_LT(out.mean({0, 2, 3, 4}).abs().max().item<double>(), 1e-6);
  EXPECT_LT((out.var({0, 2, 3, 4}, false) - 1).abs().max().item<double>(), 1e-4);
  EXPECT_GT((out.select(2, 1).var() / out.select(2, 0).var()).item<double>(), 50);
}

TEST(Centring, changes_nothing_in_front_of_a_linear_layer_and_its_norm_while_training) {
  torch::manual_seed(4);
  Centring centring(5);
  torch::nn::Linear linear(torch::nn::LinearOptions(5, 3).bias(false));
  torch::nn::BatchNorm1d norm(3);
  for (torch::nn::Module* module : std::initializer_list<torch::nn::Module*>{&*centring, &*linear, &*norm}) {
    module->to(testing::device());
    module->to(torch::kDouble);
  }
  const auto x = random_features({8, 5}) + 3;
  EXPECT_TRUE(torch::allclose(norm(linear(centring(x))), norm(linear(x))));
}

TEST(Centring, remembers_the_mean_of_its_first_batches_with_no_share_of_a_starting_value) {
  Centring centring(2);
  centring->to(testing::device());
  centring->to(torch::kDouble);
  const auto first = random_features({4, 2}) + 7, second = random_features({4, 2}) - 2;
  centring(first);
  EXPECT_TRUE(torch::allclose(centring->running_mean, first.mean(0)));
  centring(second);
  EXPECT_TRUE(torch::allclose(centring->running_mean, (first.mean(0) + second.mean(0)) / 2));
  for (int i = 0; i < 200; ++i) centring(second);
  centring->eval();
  EXPECT_LT((centring(second) - (second - second.mean(0))).abs().max().item<double>(), 1e-6);
}

TEST(SpatialPooling, treats_every_scale_by_itself) {
  const auto x = random_features({2, 3, 4, 6, 6});
  const auto average = SpatialAvgPool()(x), largest = SpatialMaxPool()(x);
  for (int64_t s = 0; s < 4; ++s) {
    EXPECT_TRUE(torch::allclose(average.select(2, s), torch::avg_pool2d(x.select(2, s), 2)));
    EXPECT_TRUE(torch::equal(largest.select(2, s), torch::max_pool2d(x.select(2, s), 2)));
  }
}

TEST(SpatialPooling, does_not_count_its_padding) {
  const auto ones = torch::ones({1, 1, 2, 7, 7}, testing::on_device(torch::kDouble));
  const auto pooled = SpatialAvgPool(SpatialPoolOptions(4).padding(2))(ones);
  EXPECT_EQ(pooled.sizes(), (std::vector<int64_t>{1, 1, 2, 2, 2}));
  EXPECT_TRUE(torch::allclose(pooled, torch::ones_like(pooled)));
}

TEST(ScaleProjection, gives_the_largest_or_mean_response_and_where_it_is) {
  auto x = torch::zeros({1, 2, 3, 2, 2}, testing::on_device(torch::kDouble));
  x.select(2, 2).select(1, 0).fill_(5);
  x.select(2, 1).select(1, 1).fill_(7);
  ScaleMaxProjection projection;
  const auto [values, scale] = projection->forward_with_scale(x);
  EXPECT_TRUE(torch::equal(values, projection(x)));
  EXPECT_EQ(values[0][0][1][1].item<double>(), 5);
  EXPECT_EQ(scale[0][0][0][0].item<int64_t>(), 2);
  EXPECT_EQ(scale[0][1][0][0].item<int64_t>(), 1);
  EXPECT_NEAR(ScaleMeanProjection()(x)[0][1][0][0].item<double>(), 7.0 / 3, 1e-12);
}

TEST(SpatialUpsample, undoes_average_pooling_of_constant_blocks) {
  const auto x = random_features({2, 2, 3, 4, 4});
  const auto larger = SpatialUpsample(2)(x);
  EXPECT_EQ(larger.size(4), 8);
  EXPECT_TRUE(torch::allclose(SpatialAvgPool()(larger), x));
}

TEST(PointwiseConv, equals_a_matrix_applied_at_every_pixel_and_scale) {
  torch::manual_seed(2);
  PointwiseConv layer(PointwiseConvOptions(3, 4).bias(false));
  layer->to(testing::device());
  layer->to(torch::kDouble);
  const auto x = random_features({2, 3, 2, 4, 5});
  EXPECT_TRUE(torch::allclose(layer(x), torch::einsum("ncshw,oc->noshw", {x, layer->coefficients.squeeze(2)})));
}

TEST(PointwiseConv, reaches_finer_scales_as_the_joint_convolution_does) {
  torch::manual_seed(3);
  for (const auto padding : {ScalePadding::replicate, ScalePadding::zero})
    for (const auto support : {ScaleSupport::one_sided, ScaleSupport::centred}) {
      PointwiseConv layer(PointwiseConvOptions(1, 1).scale_taps(3).scale_padding(padding).support(support).bias(false));
      layer->to(testing::device());
      layer->to(torch::kDouble);
      const auto x = random_features({1, 1, 4, 1, 1});
      const auto out = layer(x).flatten();
      const auto sources = ops::joint_sources(4, 3, support, padding);
      // The response to each tap alone, found by probing a long scale axis far from its ends.
      for (int64_t s = 0; s < 4; ++s) {
        double expected = 0;
        for (const auto& plane : sources[static_cast<size_t>(s)])
          for (const int64_t tap : plane.taps) {
            auto probe = torch::zeros({1, 1, 9, 1, 1}, x.options());
            probe[0][0][4][0][0] = 1;
            const int64_t before = support == ScaleSupport::one_sided ? 2 : 1;
            expected +=
                layer(probe).flatten()[4 - (tap - before)].item<double>() * x.flatten()[plane.plane].item<double>();
          }
        EXPECT_NEAR(out[s].item<double>(), expected, 1e-12);
      }
    }
}

TEST(ResidualBlock, is_the_identity_when_its_second_convolution_is_zero) {
  ResidualBlock block(ResidualBlockOptions(JointConvOptions(2, 2, basis::ScaleGrid(2, 0.5, 3.0)).modes(3)));
  block->to(testing::device());
  block->to(torch::kDouble);
  {
    const torch::NoGradGuard no_grad;
    block->conv2->coefficients.zero_();
  }
  const auto x = random_features({2, 2, 2, 4, 4});
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
  for (auto* module : {&*block, &*loaded}) {
    module->eval();
    module->to(testing::device());
    module->to(torch::kDouble);
  }
  const auto x = random_features({2, 2, 2, 5, 7});
  EXPECT_EQ(block(x).sizes(), (std::vector<int64_t>{2, 5, 2, 3, 4}));
  EXPECT_TRUE(torch::equal(block(x), loaded(x)));
  const auto copy = std::dynamic_pointer_cast<ResidualBlockImpl>(block->clone());
  EXPECT_TRUE(torch::equal(block(x), copy->forward(x)));
}

}  // namespace
}  // namespace scdcf::nn
