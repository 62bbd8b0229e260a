// What must be true of what a page is told about a network.
#include "scdcf/explore/shown_network.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "scdcf/explore/pictures.h"
#include "scdcf/models/registry.h"
#include "support/small_networks.h"

namespace scdcf::explore {
namespace {

runs::TrainedModel model_of(const std::string& name, const std::string& read_out = "") {
  runs::TrainedModel model;
  auto& options = model.config.model;
  options.name = name;
  options.classes = 4;
  options.channels = {2, 3, 4};
  options.hidden = 8;
  options.read_out = read_out;
  if (name != "cnn") options.smallest_object = options.largest_object = 0.5;
  options = models::resolve(options);
  torch::manual_seed(1);
  model.network = models::make_model(options);
  model.network->eval();
  model.mean = {0.1};
  model.deviation = {0.5};
  model.config.data.smallest_factor = model.config.data.largest_factor = 0.5;
  return model;
}

TEST(LookInside, has_the_scores_of_forward_those_of_every_plane_and_maps) {
  const torch::NoGradGuard no_grad;
  const auto images = torch::rand({2, 1, 28, 28});
  for (const char* read_out : {"centre", "anywhere"}) {
    const auto model = model_of("scdcfnet-full", read_out);
    const auto look = look_inside(*model.network, images);
    ASSERT_EQ(look.names.size(), look.outputs.size());
    EXPECT_EQ(look.names[0], "scores");
    EXPECT_TRUE(torch::allclose(look.outputs[0], model.network->forward(images), 1e-4, 1e-5));
    EXPECT_EQ(look.names[1], "planes");
    const auto planes = static_cast<int64_t>(model.network->planes(images).size());
    EXPECT_EQ(look.outputs[1].sizes(), (std::vector<int64_t>{2, 4, planes}));
    EXPECT_EQ(static_cast<int64_t>(look.names.size()), 2 + (read_out == std::string("centre") ? 3 : 4) * planes);
    EXPECT_EQ(look.names[2], "block 1, plane 1");
  }
}

TEST(LookInside, takes_a_plain_network_with_what_it_has) {
  const torch::NoGradGuard no_grad;
  const auto images = torch::rand({2, 1, 28, 28});
  const auto model = model_of("cnn");
  const auto look = look_inside(*model.network, images);
  EXPECT_TRUE(torch::equal(look.outputs[0], model.network->forward(images)));
  EXPECT_EQ(look.names.size(), 1 + model.network->features(images).size());
}

TEST(ShowNetwork, tells_the_planes_in_the_units_of_the_data) {
  auto model = model_of("scdcfnet-full");
  const auto plain = show_network(model, "a").about;
  EXPECT_EQ(plain.at("trained"), nlohmann::ordered_json({0.5, 0.5}));
  EXPECT_EQ(plain.at("unit"), 0.5);
  EXPECT_TRUE(plain.at("places").empty());
  model.calibration = train::ScaleCalibration{1, 1, 1, 0, 0};  // sizes are twice those that are read
  const auto calibrated = show_network(model, "a").about;
  for (size_t s = 0; s < plain.at("planes").size(); ++s)
    EXPECT_DOUBLE_EQ(calibrated.at("planes")[s].at("size").get<double>(),
                     2 * plain.at("planes")[s].at("size").get<double>());
  EXPECT_FALSE(show_network(model_of("scdcfnet-full", "anywhere"), "a").about.at("places").empty());
  const auto cnn = show_network(model_of("cnn"), "b").about;
  EXPECT_TRUE(cnn.at("planes").empty());
  EXPECT_EQ(cnn.at("trained"), nlohmann::ordered_json({0.5, 0.5})) << "smnist's factors";
  EXPECT_FLOAT_EQ(cnn.at("factor")[0].get<float>(), 1 / (255 * 0.5F));
  EXPECT_FLOAT_EQ(cnn.at("offset")[0].get<float>(), -0.2F);
}

TEST(ShowNetwork, takes_every_network_with_what_it_has) {
  for (const auto& entry : models::all_models()) {
    runs::TrainedModel model;
    model.config.model = models::resolve(testing::small_network(entry.name));
    model.network = models::make_model(model.config.model);
    model.network->eval();
    model.mean.assign(static_cast<size_t>(model.config.model.in_channels), 0);
    model.deviation.assign(model.mean.size(), 1);
    const auto shown = show_network(model, entry.name);
    EXPECT_GT(shown.onnx.size(), 1000U) << entry.name;
    const auto& about = shown.about;
    EXPECT_EQ(about.at("planes").empty(), !entry.fits_objects) << entry.name;
    for (const auto& layer : about.at("layers"))
      for (const auto& output : layer.at("maps"))
        EXPECT_NE(shown.onnx.find(output.get<std::string>()), std::string::npos) << entry.name << ": " << output;
  }
}

TEST(Pictures, are_of_every_class_in_turn_and_have_the_largest_objects) {
  data::ImageSet set;
  set.height = set.width = 2;
  set.labels = {1, 1, 0, 1, 0, 0};
  set.scales = {0.5F, 0.9F, 0.3F, 0.7F, 0.8F, 0.4F};
  for (int i = 0; i < 24; ++i) set.pixels.push_back(static_cast<std::uint8_t>(i / 4));
  const auto pictures = pick_pictures(set, 4);
  ASSERT_EQ(pictures.size(), 4U);
  const int expected[] = {4, 1, 5, 3};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(pictures[i].image.pixels.front(), expected[i]);
    EXPECT_FLOAT_EQ(static_cast<float>(pictures[i].size), set.scales[static_cast<size_t>(expected[i])]);
    EXPECT_EQ(pictures[i].x, 1);
  }
  EXPECT_EQ(pick_pictures(set, 100).size(), 6U);
}

}  // namespace
}  // namespace scdcf::explore
