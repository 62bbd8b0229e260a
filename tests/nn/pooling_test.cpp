#include "scdcf/nn/pooling.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <sstream>

#include "support/device.h"
#include "support/expect_error.h"
#include "support/layers.h"

namespace scdcf::nn {
namespace {

TEST(ScaleBatchNorm, has_one_mean_and_variance_per_channel_over_all_scales) {
  torch::manual_seed(1);
  ScaleBatchNorm norm(3);
  testing::to_double(norm);
  // Scales of very different size: a normalisation per scale would make them equal.
  const auto sizes = torch::tensor({1.0, 10.0}).to(testing::device()).view({1, 1, 2, 1, 1});
  const auto out = norm(testing::random_tensor({4, 3, 2, 5, 5}) * sizes + 2);
  EXPECT_LT(out.mean({0, 2, 3, 4}).abs().max().item<double>(), 1e-6);
  EXPECT_LT((out.var({0, 2, 3, 4}, false) - 1).abs().max().item<double>(), 1e-4);
  EXPECT_GT((out.select(2, 1).var() / out.select(2, 0).var()).item<double>(), 50);
}

TEST(SpatialPooling, treats_every_scale_by_itself) {
  const auto x = testing::random_tensor({2, 3, 4, 6, 6});
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

TEST(ScaleProjection, gives_the_largest_or_mean_response) {
  auto x = torch::zeros({1, 2, 3, 2, 2}, testing::on_device(torch::kDouble));
  x.select(2, 2).select(1, 0).fill_(5);
  x.select(2, 1).select(1, 1).fill_(7);
  ScaleMaxProjection projection;
  const auto values = projection(x);
  EXPECT_EQ(values[0][0][1][1].item<double>(), 5);
  EXPECT_EQ(values[0][1][0][0].item<double>(), 7);
  EXPECT_NEAR(ScaleMeanProjection()(x)[0][1][0][0].item<double>(), 7.0 / 3, 1e-12);
}

TEST(SpatialUpsample, to_the_nearest_undoes_average_pooling_of_constant_blocks) {
  const auto x = testing::random_tensor({2, 2, 3, 4, 4});
  const auto larger = SpatialUpsample(SpatialUpsampleOptions(2).mode(UpsampleMode::nearest))(x);
  EXPECT_EQ(larger.size(4), 8);
  EXPECT_TRUE(torch::allclose(SpatialAvgPool()(larger), x));
}

TEST(SpatialUpsample, puts_every_pixel_where_pooling_took_it_from_whatever_the_size) {
  for (const int64_t factor : {2, 3, 4})
    for (const int64_t size : {3 * factor, 3 * factor + 1, 4 * factor - 1}) {
      const auto axis = torch::arange(size, testing::on_device(torch::kDouble));
      const auto ramp = axis.view({-1, 1}) * 5 + axis;  // 5 y + x: smooth, so that the pooled map holds all of it
      const auto pooled = SpatialAvgPool(SpatialPoolOptions(factor))(ramp.view({1, 1, 1, size, size}));
      const auto back = SpatialUpsample(factor)->forward(pooled, {size, size})[0][0][0];
      ASSERT_EQ(back.sizes(), ramp.sizes());
      const int64_t border = factor / 2, inner = 3 * factor - 2 * border;  // between centres of pooled pixels
      const auto inside = [&](const torch::Tensor& map) {
        return map.narrow(0, border, inner).narrow(1, border, inner);
      };
      EXPECT_LT((inside(back) - inside(ramp)).abs().max().item<double>(), 1e-12) << factor << ", " << size;
      EXPECT_EQ(back[size - 1][size - 1].item<double>(), pooled[0][0][0][-1][-1].item<double>()) << "border repeated";
    }
}

TEST(SpatialUpsample, leaves_a_constant_map_constant) {
  const auto ones = torch::ones({1, 1, 2, 5, 7}, testing::on_device(torch::kDouble));
  EXPECT_LT((SpatialUpsample(2)->forward(ones, {11, 13}) - 1).abs().max().item<double>(), 1e-15);
}

TEST(SpatialUpsample, stands_in_a_sequential) {
  torch::nn::Sequential net{SpatialAvgPool(), SpatialUpsample()};
  EXPECT_EQ(net->forward(testing::random_tensor({1, 2, 3, 6, 4})).sizes(), (std::vector<int64_t>{1, 2, 3, 6, 4}));
}

TEST(SpatialUpsample, refuses_sizes_that_pooling_does_not_make_that_small) {
  SpatialUpsample twice(2);
  const auto x = testing::random_tensor({1, 2, 3, 31, 20});
  testing::expect_error(
      [&] {
        twice->forward(x, {64, 40});
      },
      "SpatialUpsample: output_size: got [64, 40]", "61 to 63 for 31 pixels (dimension 3 of [1, 2, 3, 31, 20])");
  testing::expect_error([&] { twice->forward(x, {63, 38}); }, "39 to 41 for 20 pixels");
  testing::expect_error([&] { twice->forward(x, {63}); }, "a height and a width");
  testing::expect_error([&] { twice->forward(x[0]); }, "SpatialUpsample", "[N, C, S, H, W]");
}

TEST(Pooling, has_the_gradients_of_central_differences) {
  testing::expect_layer_gradients(ScaleBatchNorm(2), {2, 2, 2, 2, 2});
  testing::expect_layer_gradients(SpatialAvgPool(), {1, 2, 2, 4, 4});
  testing::expect_layer_gradients(SpatialMaxPool(), {1, 2, 2, 4, 4});
  testing::expect_layer_gradients(ScaleMaxProjection(), {1, 2, 3, 3, 3});
  testing::expect_layer_gradients(ScaleMeanProjection(), {1, 2, 3, 3, 3});
  testing::expect_layer_gradients(SpatialUpsample(2), {1, 2, 2, 3, 3});
  testing::expect_layer_gradients(SpatialUpsample(SpatialUpsampleOptions(3).mode(UpsampleMode::nearest)),
                                  {1, 1, 2, 2, 2});
}

TEST(SpatialPooling, prints_what_it_has_been_given) {
  std::ostringstream text;
  text << SpatialAvgPool(SpatialPoolOptions(4).padding(2));
  EXPECT_EQ(text.str(), "scdcf::nn::SpatialAvgPool(window 4, padding 2)");
}

TEST(Pooling, bad_arguments_are_named) {
  testing::expect_error([] { SpatialAvgPool(SpatialPoolOptions(0)); }, "window", "got 0");
  testing::expect_error([] { SpatialMaxPool(SpatialPoolOptions(2).padding(2)); }, "padding", "got 2");
  testing::expect_error([] { SpatialUpsample(0); }, "factor", "got 0");
  testing::expect_error(
      [] {
        ScaleMaxProjection()(torch::randn({1, 2, 5, 5}));
      },
      "ScaleMaxProjection", "[N, C, S, H, W]");
  testing::expect_error([] { SpatialAvgPool()(torch::randn({1, 2, 3, 1, 5})); }, "SpatialAvgPool", "1 x 5 pixels");
}

}  // namespace
}  // namespace scdcf::nn
