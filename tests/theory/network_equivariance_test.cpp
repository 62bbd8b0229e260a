#include "scdcf/theory/network_equivariance.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "scdcf/models/registry.h"
#include "support/device.h"
#include "support/expect_error.h"
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

TEST(NetworkEquivariance, holds_up_to_the_scores_in_the_full_network) {
  // Of objects that it looks for: half of the image, over an octave below and above.
  const auto full = [](uint64_t seed) {
    torch::manual_seed(seed);
    models::ModelOptions options;
    options.name = "scdcfnet-full";
    options.image_size = 56;
    options.channels = {8, 8, 8};
    options.smallest_object = options.largest_object = 0.5;
    options.smaller = options.larger = 2;
    const auto network = models::make_model(options);
    network->to(testing::device());
    network->to(torch::kDouble);
    network->eval();
    return network;
  };
  for (const uint64_t seed : {1, 2, 3}) {
    const auto layers = network_equivariance_error(*full(seed), testing::blobs(56), zero_level(), 0.25);
    ASSERT_EQ(layers.size(), 5U);  // three blocks, hidden, scores
    for (const auto& layer : layers) {
      EXPECT_GE(layer.per_scale.size(), 8U) << layer.layer;
      for (size_t s = 2; s + 1 < layer.per_scale.size(); ++s)  // all but the two finest and the coarsest
        EXPECT_LT(layer.per_scale[s], 0.08) << layer.layer << " at plane " << s;
    }
  }
}

TEST(NetworkEquivariance, leaves_out_blocks_that_show_one_plane_of_several) {
  torch::manual_seed(1);
  models::ModelOptions options;
  options.name = "scdcfnet-full";
  options.image_size = 56;
  options.channels = {4, 4, 4};
  options.smallest_object = options.largest_object = 0.5;
  options.read_out = "anywhere";
  const auto network = models::make_model(options);
  network->to(testing::device());
  network->to(torch::kDouble);
  network->eval();
  const auto layers = network_equivariance_error(*network, testing::blobs(56), zero_level(), 0.25);
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers[0].layer, "hidden, at the centre");
}

TEST(NetworkEquivariance, answers_stay_where_nothing_changes) {
  for (const char* name : {"cnn", "scdcfnet-full"}) {
    const auto same = answer_change(*judged(name), testing::blobs(56), zero_level(), 0);
    EXPECT_LT(same.scores, 1e-12) << name;
    EXPECT_EQ(same.same_class, 1) << name;
    EXPECT_EQ(same.moved.has_value(), name == std::string("scdcfnet-full"));
    EXPECT_EQ(same.moved.value_or(0), 0);
  }
}

TEST(NetworkEquivariance, leaves_a_network_in_training_as_it_was) {
  for (const char* name : {"cnn", "scdcfnet", "scdcfnet-full"}) {
    const auto network = judged(name);
    network->train();
    const auto batch = testing::blobs(56).repeat({2, 1, 1, 1});
    network_equivariance_error(*network, batch, zero_level(), 0.25);
    answer_change(*network, batch, zero_level(), 0.25);
    EXPECT_TRUE(network->is_training());
    for (const auto& module : network->modules()) EXPECT_TRUE(module->is_training()) << name;
    for (const auto& buffer : network->named_buffers())
      if (buffer.key().find("num_batches_tracked") != std::string::npos) {
        EXPECT_EQ(buffer.value().item<int64_t>(), 0) << name << " " << buffer.key();
      }
    testing::expect_error([&] { answer_change(*network, batch.narrow(2, 0, 40), zero_level(), 0.25); }, "images");
    EXPECT_TRUE(network->is_training()) << name << " after an error";
  }
}

/// A network that reads how wide the image is lit, and gives one score for all.
class WidthReader : public models::Network {
 public:
  torch::Tensor forward(const torch::Tensor& images) override { return torch::ones({images.size(0), 2}); }
  std::optional<models::Reading> read(const torch::Tensor& images) override {
    models::Reading reading;
    reading.size = images.flatten(1).sum(1).sqrt();
    return reading;
  }
};

TEST(NetworkEquivariance, sizes_that_are_read_follow_the_image) {
  WidthReader network;
  const auto blob = testing::blobs(56).cpu().abs().narrow(0, 0, 1);
  const auto inside = act_on_image(blob, {-1, 0, 0});  // so that nothing leaves the image
  for (const double octaves : {0.5, -0.25}) {
    const auto change = answer_change(network, inside, torch::zeros({1, 1, 1, 1}, torch::kDouble), octaves);
    ASSERT_TRUE(change.moved.has_value());
    EXPECT_NEAR(*change.moved, octaves, 0.02);
    EXPECT_EQ(change.scores, 0);
  }
}

}  // namespace
}  // namespace scdcf::theory
