#include "scdcf/theory/network_equivariance.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "scdcf/models/registry.h"
#include "support/device.h"
#include "support/patterns.h"

namespace scdcf::theory {
namespace {

std::shared_ptr<models::Network> judged(const std::string& name, uint64_t seed = 1) {
  torch::manual_seed(seed);
  models::ModelOptions options;
  options.name = name;
  options.image_size = 56;
  options.channels = {8, 8, 8};
  const auto network = models::make_model(options);
  network->to(testing::device());
  network->to(torch::kDouble);
  network->eval();
  return network;
}

torch::Tensor zero_level() { return torch::zeros({1, 1, 1, 1}, testing::on_device(torch::kDouble)); }

TEST(NetworkEquivariance, an_enlarged_image_has_black_beyond_its_border) {
  const auto black = torch::full({1, 1, 1, 1}, -0.5, testing::on_device(torch::kDouble));
  const auto dark = torch::full({2, 1, 16, 16}, -0.5, testing::on_device(torch::kDouble));
  EXPECT_LT(testing::relative_error(enlarged(dark, black, -1), dark), 1e-12);
  const auto image = testing::blobs(56) - 0.5;
  EXPECT_LT(testing::relative_error(enlarged(image, black, 0.5), act_on_image(image + 0.5, {0.5, 0, 0}) - 0.5), 1e-12);
}

TEST(NetworkEquivariance, nothing_is_lost_where_nothing_changes) {
  for (const char* name : {"cnn", "scdcfnet"})
    for (const auto& layer : network_equivariance_error(*judged(name), testing::blobs(56), zero_level(), 0))
      for (const double error : layer.per_scale) EXPECT_LT(error, 1e-12) << name << ", " << layer.layer;
}

TEST(NetworkEquivariance, has_a_number_for_each_scale_that_both_sides_know_or_one_for_a_block_without_scales) {
  const auto plain = network_equivariance_error(*judged("cnn"), testing::blobs(56), zero_level(), -0.25);
  ASSERT_EQ(plain.size(), 3U);
  EXPECT_EQ(plain[0].layer, "block 1");
  for (const auto& layer : plain) EXPECT_EQ(layer.per_scale.size(), 1U);
  for (const auto& layer : network_equivariance_error(*judged("scdcfnet"), testing::blobs(56), zero_level(), -0.25))
    EXPECT_EQ(layer.per_scale.size(), 4U) << layer.layer;
}

TEST(NetworkEquivariance, is_smaller_for_scdcfnet_than_for_the_cnn) {
  const auto mean_error = [](const std::string& name) {
    double sum = 0;
    for (const uint64_t seed : {1, 2, 3}) {
      const auto layers = network_equivariance_error(*judged(name, seed), testing::blobs(56), zero_level(), 0.25);
      for (const double error : layers[1].per_scale) sum += error / static_cast<double>(layers[1].per_scale.size());
    }
    return sum / 3;
  };
  EXPECT_LT(mean_error("scdcfnet"), mean_error("cnn"));
}

}  // namespace
}  // namespace scdcf::theory
