// ResNet-16: variants that differ in their convolutions and not in their size.
#include "scdcf/models/resnet16.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "scdcf/models/registry.h"
#include "scdcf/nn/dropout.h"
#include "support/device.h"

namespace scdcf::models {
namespace {

const char* const kVariants[] = {"resnet16",     "resnet16-lsi",  "resnet16-si",   "resnet16-ss",
                                 "resnet16-dss", "resnet16-sesn", "resnet16-scdcf"};

ModelOptions natural(const std::string& name, double width = 0) {
  ModelOptions options;
  options.name = name;
  options.in_channels = 3;
  options.image_size = 96;
  options.width = width;
  return options;
}

TEST(ResNet16, all_variants_have_the_parameters_of_the_plain_one) {
  for (const double width : {0.0, 1.0, 3.0}) {
    const auto plain = static_cast<double>(parameter_count(*make_model(natural("resnet16", width))));
    if (width == 0) {
      EXPECT_GT(plain, 0.69e6);
      EXPECT_LT(plain, 1e6);
    }
    for (const auto* name : kVariants)
      EXPECT_NEAR(static_cast<double>(parameter_count(*make_model(natural(name, width)))), plain, 0.03 * plain)
          << name << ", width " << width;
  }
}

TEST(ResNet16, the_count_behind_the_choice_of_channels_is_that_of_the_network) {
  auto options = natural("resnet16");
  options.channels = {5, 7, 7, 9};
  EXPECT_EQ(resnet16_parameters(options, options.channels, 9, 9),
            static_cast<double>(parameter_count(*make_model(options))));
  options = natural("resnet16-scdcf");
  options.channels = {5, 5, 6, 7};
  EXPECT_EQ(resnet16_parameters(options, options.channels, 8, 16),
            static_cast<double>(parameter_count(*make_model(options))));
}

TEST(ResNet16, halves_the_maps_twice_and_keeps_the_scale_axis_of_equivariant_variants) {
  const torch::NoGradGuard no_grad;
  for (const auto* name : kVariants) {
    for (const int64_t size : {64, 96}) {
      auto options = natural(name);
      options.channels = {2, 2, 3, 4};
      options.image_size = size;
      auto network = make_model(options);
      network->to(testing::device());
      const auto maps = network->features(torch::randn({1, 3, size, size}, testing::on_device(torch::kFloat)));
      ASSERT_EQ(maps.size(), 3u);
      EXPECT_EQ(maps[0].maps.size(-1), size) << name;
      EXPECT_EQ(maps[1].maps.size(-1), size / 2) << name;
      EXPECT_EQ(maps[2].maps.size(-1), size / 4) << name;
    }
  }
}

TEST(ResNet16, states_keep_their_names) {
  // Trained networks are stored under them.
  struct Case {
    const char *name, *conv, *norm, *shortcut;
  };
  const Case cases[] = {{"resnet16", "0.weight", "0.weight 0.bias", "0.weight"},
                        {"resnet16-lsi", "0.conv.weight", "0.weight 0.bias", "0.weight"},
                        {"resnet16-si", "0.canonical.weight", "0.weight 0.bias", "0.coefficients"},
                        {"resnet16-ss", "0.coefficients", "0.weight 0.bias", "0.weight"},
                        {"resnet16-dss", "0.conv.weight", "0.weight 0.bias", "0.coefficients"},
                        {"resnet16-sesn", "0.coefficients", "0.weight 0.bias", "0.coefficients"},
                        {"resnet16-scdcf", "0.coefficients", "0.weight 0.bias", "0.coefficients"}};
  const auto keys = [](const torch::nn::Module& module) {
    std::string text;
    for (const auto& key : module.named_parameters().keys()) text += (text.empty() ? "" : " ") + key;
    return text;
  };
  for (const auto& c : cases) {
    auto options = natural(c.name);
    options.channels = {2, 2, 3, 4};
    const auto children = make_model(options)->named_children();
    const std::vector<std::string> expected = {"first",         "group1_block1", "group1_block2",
                                               "group2_block1", "group2_block2", "group3_block1",
                                               "group3_block2", "last",          "scores"};
    EXPECT_EQ(children.keys(), expected) << c.name;
    const auto parts = children["group2_block1"]->named_children();
    EXPECT_EQ(keys(*parts["conv1"]), c.conv) << c.name;
    EXPECT_EQ(keys(*parts["conv2"]), c.conv) << c.name;
    EXPECT_EQ(keys(*parts["before1"]), c.norm) << c.name;
    EXPECT_EQ(keys(*parts["before2"]), c.norm) << c.name;
    EXPECT_EQ(keys(*parts["shortcut"]), c.shortcut) << c.name;
    EXPECT_FALSE(children["group1_block1"]->named_children().contains("shortcut")) << c.name;
  }
}

TEST(ResNet16, dropout_draws_from_the_generator_of_the_run) {
  torch::manual_seed(1);
  auto options = natural("resnet16");
  options.channels = {4, 4, 4, 4};
  options.image_size = 16;
  auto network = make_model(options);
  network->to(testing::device());
  const auto images = torch::randn({4, 3, 16, 16}, testing::on_device(torch::kFloat));
  const auto run = [&](uint64_t seed) {
    const torch::NoGradGuard no_grad;
    auto generator = torch::globalContext().defaultGenerator(testing::device()).clone();
    generator.set_current_seed(seed);
    const nn::RandomScope scope(generator);
    return network->forward(images);
  };
  const auto first = run(7);
  EXPECT_TRUE(torch::equal(run(7), first));
  EXPECT_FALSE(torch::equal(run(8), first));
}

}  // namespace
}  // namespace scdcf::models
