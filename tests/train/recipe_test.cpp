#include "scdcf/train/recipe.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "scdcf/data/datasets.h"
#include "scdcf/train/fit_to_data.h"
#include "support/expect_error.h"

namespace {

using namespace scdcf;

TEST(Recipe, leaves_the_networks_of_the_paper_as_they_are) {
  for (const char* name : {"scdcfnet", "cnn", "resnet16"}) {
    train::RunConfig config;
    config.model.name = name;
    EXPECT_EQ(train::to_json(train::with_recipe(config)), train::to_json(config)) << name;
  }
}

TEST(Recipe, keeps_black_at_zero_where_the_ground_is_black_and_only_there) {
  train::RunConfig config;
  config.model.name = "scdcfnet-full";
  config.train.seed = 7;
  config.train.batch = 33;
  EXPECT_EQ(train::with_recipe(config).data.normalisation, "black");
  EXPECT_EQ(train::with_recipe(config).train.optimizer, "adamw");
  EXPECT_EQ(train::with_recipe(config).train.seed, 7U);
  EXPECT_EQ(train::with_recipe(config).train.batch, 33);
  config.data.name = "stl10";
  EXPECT_EQ(train::with_recipe(config).data.normalisation, "standard");
}

TEST(Recipe, training_images_lose_the_detail_that_smaller_objects_have_lost) {
  const auto lost = [](const char* name, double smaller, double larger, bool black_ground = true) {
    models::ModelOptions model;
    model.name = name;
    model.smaller = smaller;
    model.larger = larger;
    return train::lost_detail(model, black_ground);
  };
  EXPECT_DOUBLE_EQ(lost("scdcfnet-full", 4, 1), 2);
  EXPECT_DOUBLE_EQ(lost("pyramid-cnn", 4, 2), 2);
  EXPECT_EQ(lost("scdcfnet-full", 1, 2), 0) << "larger objects have lost none";
  EXPECT_EQ(lost("resnet16-full", 4, 2, false), 0);
  EXPECT_EQ(lost("cnn", 4, 2), 0);
}

TEST(Recipe, how_much_detail_is_lost_follows_the_range_until_somebody_says) {
  train::RunConfig config;
  config.model.name = "scdcfnet-full";
  config.model.smaller = 2;
  config.model.larger = 1;
  const auto splits = data::load(data::DataOptions{"sglyphs", "", 20, 20, 20});
  EXPECT_DOUBLE_EQ(train::fit_to_data(config, splits).train.augment.detail_octaves, 1);
  config.train.augment.detail_octaves = 0;
  EXPECT_EQ(train::fit_to_data(config, splits).train.augment.detail_octaves, 0);
}

TEST(Recipe, objects_of_which_nothing_is_to_be_seen_are_refused) {
  train::RunConfig config;
  config.model.name = "scdcfnet-full";
  auto splits = data::load(data::DataOptions{"sglyphs", "", 20, 20, 20});
  auto& sizes = splits.train.scales;
  for (size_t i = 0; i < sizes.size(); ++i) sizes[i] = i % 2 == 0 ? 0.1F : 0.15F;  // 2.8 and 4.2 pixels
  scdcf::testing::expect_error([&] { train::fit_to_data(config, splits); }, "0.1 to 0.15", "4.2 pixels",
                               "at least 5 pixels");
  sizes.front() = 0.5F;
  EXPECT_DOUBLE_EQ(train::fit_to_data(config, splits).model.smallest_object, 5.0 / 28) << "the plan begins there";
}

TEST(Recipe, cosine_falls_to_zero_over_the_whole_training_and_warm_up_rises_to_it) {
  train::TrainOptions options;
  options.learning_rate = 2;
  options.schedule = "cosine";
  options.epochs = 4;
  options.milestones = {1};  // of the other schedule
  EXPECT_DOUBLE_EQ(train::learning_rate(options, 0, 0, 10), 2);
  EXPECT_NEAR(train::learning_rate(options, 2, 0, 10), 1, 1e-12);
  EXPECT_GT(train::learning_rate(options, 2, 4, 10), train::learning_rate(options, 2, 5, 10));
  EXPECT_LT(train::learning_rate(options, 3, 9, 10), 0.01);
  options.warm_up = 5;
  EXPECT_NEAR(train::learning_rate(options, 0, 0, 10), 2.0 / 5, 1e-12);
  EXPECT_LT(train::learning_rate(options, 0, 1, 10), train::learning_rate(options, 0, 3, 10));
  EXPECT_NEAR(train::learning_rate(options, 2, 0, 10), 1, 1e-12);
}

TEST(Recipe, what_was_stored_before_an_option_existed_keeps_its_text) {
  const train::RunConfig config;
  const auto stored = train::to_json(config), all = train::to_json(config, train::Stored::all);
  for (const char* key : {"smaller", "larger", "span", "read_out"}) {
    EXPECT_FALSE(stored.at("model").contains(key)) << key;
    EXPECT_TRUE(all.at("model").contains(key)) << key;
  }
  auto wider = config;
  wider.model.smaller = 3;
  EXPECT_EQ(train::to_json(wider).at("model").at("smaller"), 3);
  EXPECT_EQ(train::config_from_json(train::to_json(wider)).model.smaller, 3);
  EXPECT_EQ(train::config_from_json(stored).model.smaller, 0);
}

}  // namespace
