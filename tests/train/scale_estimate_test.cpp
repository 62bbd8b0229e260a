// The size of an object, read off the scale axis.
#include "scdcf/train/scale_estimate.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "train/tiny.h"

namespace {

using namespace scdcf;
using scdcf::testing::expect_error;

/// Its last maps answer at the plane that the first pixel of an image names.
struct PlaneNetwork : models::Network {
  torch::Tensor forward(const torch::Tensor& images) override { return images.flatten(1); }
  std::vector<models::LayerOutput> features(const torch::Tensor& images) override {
    const auto planes = torch::arange(5, images.options()).view({1, 1, 5, 1, 1});
    const auto plane = images.select(3, 0).select(2, 0).view({-1, 1, 1, 1, 1});
    return {{"block 1", (planes == plane).to(torch::kFloat).expand({images.size(0), 3, 5, 4, 4})}};
  }
  double scale_step() const override { return 0.25; }
};

TEST(ScaleEstimate, the_response_is_the_plane_that_answers_in_octaves) {
  PlaneNetwork network;
  auto images = torch::zeros({5, 1, 4, 4}, scdcf::testing::on_device(torch::kFloat));
  for (int64_t i = 0; i < 5; ++i) images[i].fill_(static_cast<double>(i));
  const auto response = train::scale_response(network, images).cpu();
  EXPECT_TRUE(torch::allclose(response, torch::arange(5) * 0.25)) << response;
}

TEST(ScaleEstimate, calibration_recovers_a_linear_relation) {
  const auto responses = torch::tensor({0.1, 0.5, 0.2, 0.9, 0.7});
  std::vector<float> scales;
  for (int64_t i = 0; i < 5; ++i)
    scales.push_back(static_cast<float>(std::exp2(-1.5 + 1.25 * responses[i].item<double>())));
  const auto fit = train::fit_scale(responses, scales);
  EXPECT_NEAR(fit.slope, 1.25, 1e-5);
  EXPECT_NEAR(fit.intercept, -1.5, 1e-5);
  EXPECT_NEAR(fit.correlation, 1, 1e-9);
  EXPECT_NEAR(fit.estimate(0.5), scales[1], 1e-6);
  EXPECT_FLOAT_EQ(static_cast<float>(fit.smallest), *std::min_element(scales.begin(), scales.end()));
  EXPECT_TRUE(fit.covers(fit.smallest) && fit.covers(fit.largest));
  EXPECT_FALSE(fit.covers(1.1 * fit.largest) || fit.covers(0.9 * fit.smallest)) << "outside what was trained";
  const auto reread = train::calibration_from_json(nlohmann::json::parse(train::to_json(fit).dump()));
  EXPECT_EQ(reread.slope, fit.slope);
  EXPECT_EQ(reread.intercept, fit.intercept);
  EXPECT_EQ(reread.correlation, fit.correlation);
  expect_error([] { train::calibration_from_json({{"slope", 1}}); }, "intercept");
}

TEST(ScaleEstimate, of_a_network_that_reads_sizes_only_the_unit_is_fitted) {
  // Read sizes are all 1.25 times too large, but for one that is far off.
  const std::vector<float> scales = {0.5F, 0.5F, 0.52F, 0.48F, 0.5F};
  auto read = torch::tensor(scales) * 1.25;
  read[4] = 3;
  const auto fit = train::fit_offset(read.log2(), scales);
  EXPECT_EQ(fit.slope, 1);
  EXPECT_NEAR(fit.estimate(0), 1 / 1.25, 1e-6);
  EXPECT_NEAR(fit.estimate(std::log2(0.25)), 0.2, 1e-6) << "beyond the sizes it was fitted to";
}

TEST(ScaleEstimate, a_response_that_never_varies_predicts_the_mean) {
  const auto fit = train::fit_scale(torch::ones({2}), {0.25F, 1.0F});
  EXPECT_EQ(fit.slope, 0);
  EXPECT_EQ(fit.correlation, 0);
  EXPECT_NEAR(fit.estimate(7), 0.5, 1e-6);
  expect_error([] { train::fit_scale(torch::ones({3}), {0.25F, 1.0F}); }, "3 responses", "2 sizes");
}

TEST(ScaleEstimate, networks_without_a_scale_axis_and_sets_without_sizes_have_none) {
  auto splits = scdcf::testing::tiny_splits();
  const train::DeviceImages images(splits.validation, splits.mean, splits.deviation, scdcf::testing::device());
  models::ModelOptions options;
  options.name = "cnn";
  options.channels = {4, 4, 4};
  auto cnn = models::make_model(options);
  cnn->to(scdcf::testing::device());
  EXPECT_FALSE(train::scale_response(*cnn, images, 10).defined());
  EXPECT_FALSE(train::calibrate_scale(*cnn, images, splits.validation.scales, 10).has_value());
  auto scdcf = models::make_model(scdcf::testing::tiny_config().model);
  scdcf->to(scdcf::testing::device());
  EXPECT_FALSE(train::calibrate_scale(*scdcf, images, {}, 10).has_value());
  const auto whole = train::scale_response(*scdcf, images, 100), parts = train::scale_response(*scdcf, images, 7);
  EXPECT_TRUE(torch::allclose(whole, parts, 1e-4, 1e-5));
}

TEST(ScaleEstimate, after_a_short_training_the_response_grows_with_the_object) {
  const auto splits = scdcf::testing::tiny_splits(300, 200, 10);
  auto config = scdcf::testing::tiny_config();
  config.model.scales = 5;
  config.train.epochs = 3;
  const auto result = train::train(config, splits, {}, {});
  const train::DeviceImages images(splits.validation, splits.mean, splits.deviation, scdcf::testing::device());
  const auto fit = train::calibrate_scale(*result.network, images, splits.validation.scales, 100);
  ASSERT_TRUE(fit.has_value());
  EXPECT_GT(fit->correlation, 0.3);
}

}  // namespace
