// A configuration survives being written, nonsense is refused by name, and random streams are independent.
#include "scdcf/train/config.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "scdcf/train/random.h"
#include "support/expect_error.h"

namespace {

using namespace scdcf;
using scdcf::testing::expect_error;

train::RunConfig unusual_config() {
  train::RunConfig config;
  config.model.name = "cnn";
  config.model.channels = {7, 8, 9};
  config.model.scale_step = 1.0 / 3;
  config.data.name = "a \"folder\", with = signs";
  config.data.train_size = 123;
  config.data.validation_share = 0.1;
  config.train.optimizer = "sgd";
  config.train.learning_rate = 1e-30;
  config.train.milestones = {};
  config.train.augment = {0.7, 3, true, 5};
  config.train.seed = ~uint64_t{0};
  return config;
}

TEST(Config, survives_json_unchanged) {
  const nlohmann::json written = train::to_json(unusual_config());
  const nlohmann::json reread = nlohmann::json::parse(written.dump());
  EXPECT_EQ(nlohmann::json(train::to_json(train::config_from_json(reread))), written);
  EXPECT_EQ(train::config_from_json(reread).train.seed, ~uint64_t{0});
  EXPECT_EQ(train::config_from_json(reread).model.scale_step, 1.0 / 3);
}

// Stored results are found by a hash of this text, and checkpoints hold it: other names would lose them.
TEST(Config, is_stored_under_names_that_stay) {
  EXPECT_EQ(train::to_json(train::RunConfig{}).dump(),
            R"({"model":{"name":"scdcfnet","classes":10,"in_channels":1,"image_size":28,"channels":[],"modes":0,)"
            R"("scale_modes":0,"scale_taps":0,"scales":0,"scale_step":0.0,"finest_width":0.0,"scale_padding":"",)"
            R"("pooling":"","basis":"","algorithm":"","hidden":0,"dropout":-1.0,"width":0.0},)"
            R"("data":{"name":"smnist","data_dir":"","train_size":0,"test_size":0,"validation_size":0,"size":0,)"
            R"("realisation":0,"smallest_factor":0.3,"largest_factor":1.0,"channels":0,"fold":-1,)"
            R"("normalisation":"standard","validation_share":0.08333333333333333},)"
            R"("train":{"optimizer":"adam","learning_rate":0.01,"weight_decay":0.0001,"momentum":0.9,)"
            R"("milestones":[20,40],"decay":0.1,"batch":128,"epochs":60,"scale_octaves":0.0,"crop_padding":0,)"
            R"("flip":false,"cutout":0,"seed":0,"device":"cpu","precision":"float32"}})");
}

TEST(Config, an_option_that_came_later_is_stored_where_it_is_given) {
  train::RunConfig config;
  config.data.name = "stir-mnist";
  config.data.largest_size = 32;
  const nlohmann::json written = train::to_json(config);
  EXPECT_EQ(written.at("data").at("largest_size"), 32);
  EXPECT_FALSE(written.at("data").contains("smallest_size")) << "left open";
  EXPECT_EQ(train::config_from_json(written).data.largest_size, 32);
  auto wrong = written;
  wrong["data"]["largest_size"] = 65;
  expect_error([&] { train::config_from_json(wrong); }, "data.largest_size", "got 65", "17 to 64");
}

// What was rescaled before there was a choice was so in octaves and bilinearly, whatever the default is.
TEST(Config, stored_without_a_law_and_an_interpolation_it_was_octaves_and_bilinear) {
  train::RunConfig config;
  config.train.augment.scale_octaves = 1;
  EXPECT_EQ(config.train.augment.interpolation, "bicubic");
  const nlohmann::json written = train::to_json(config);
  EXPECT_EQ(written.at("train").at("interpolation"), "bicubic");
  EXPECT_EQ(train::config_from_json(written).train.augment.interpolation, "bicubic");
  auto before = written;
  before["train"].erase("interpolation");
  const auto read = train::config_from_json(before).train.augment;
  EXPECT_EQ(read.interpolation, "bilinear");
  EXPECT_EQ(read.scale_law, "octaves");
  EXPECT_EQ(nlohmann::json(train::to_json(train::config_from_json(before))), before) << "the same text, the same hash";
  config.train.augment.scale_law = "factor";
  config.train.augment.interpolation = "bilinear";
  EXPECT_EQ(train::config_from_json(train::to_json(config)).train.augment.scale_law, "factor");
  EXPECT_FALSE(train::to_json(config).at("train").contains("interpolation"));
  config.train.augment.scale_octaves = 0;
  EXPECT_EQ(train::to_json(config).dump(), train::to_json(train::RunConfig{}).dump()) << "nothing is rescaled";
}

TEST(Config, names_every_key_that_is_missing_or_of_another_kind) {
  const nlohmann::json whole = train::to_json(train::RunConfig{});
  for (const auto& section : whole.items()) {
    auto without = whole;
    without.erase(section.key());
    expect_error([&] { train::config_from_json(without); }, section.key());
    for (const auto& value : section.value().items()) {
      without = whole;
      without[section.key()].erase(value.key());
      expect_error([&] { train::config_from_json(without); }, section.key() + "." + value.key(), "missing");
      auto wrong = whole;
      wrong[section.key()][value.key()] = nlohmann::json::object();
      expect_error([&] { train::config_from_json(wrong); }, section.key() + "." + value.key(), "{}");
    }
  }
}

TEST(Config, a_number_that_the_option_cannot_hold_is_another_kind_of_value) {
  const auto refused = [](const char* section, const char* key, const nlohmann::json& value) {
    nlohmann::json json = train::to_json(train::RunConfig{});
    json[section][key] = value;
    expect_error([&] { train::config_from_json(json); }, std::string(section) + "." + key);
  };
  refused("model", "modes", 1.5);
  refused("model", "modes", 1LL << 40);
  refused("model", "classes", 1e300);
  refused("model", "classes", 1LL << 40);
  refused("model", "channels", {1, 1LL << 40, 1});
  refused("data", "realisation", -1);
  refused("train", "seed", -1);
  refused("train", "learning_rate", 1e308);
}

TEST(Config, learning_rate_falls_at_every_milestone) {
  train::TrainOptions options;
  options.learning_rate = 0.5;
  options.milestones = {2, 4};
  options.decay = 0.1;
  for (const auto& [epoch, rate] : {std::pair<int64_t, double>{0, 0.5}, {1, 0.5}, {2, 0.05}, {3, 0.05}, {4, 0.005}})
    EXPECT_DOUBLE_EQ(train::learning_rate(options, epoch), rate) << epoch;
}

TEST(Config, refuses_options_that_make_no_sense) {
  const auto refused = [](const char* name, auto change) {
    train::TrainOptions options;
    EXPECT_NO_THROW(train::check(options));
    change(options);
    expect_error([&] { train::check(options); }, std::string(name) + ": got", "expected");
  };
  refused("optimizer", [](auto& o) { o.optimizer = "adagrad"; });
  refused("learning_rate", [](auto& o) { o.learning_rate = 0; });
  refused("learning_rate", [](auto& o) { o.learning_rate = std::nan(""); });
  refused("weight_decay", [](auto& o) { o.weight_decay = -1; });
  refused("momentum", [](auto& o) { o.momentum = 1; });
  refused("label_smoothing", [](auto& o) { o.label_smoothing = 1; });
  refused("keep", [](auto& o) { o.keep = "first"; });
  refused("teachers", [](auto& o) { o.teachers = -1; });
  refused("teacher_weight", [](auto& o) { o.teacher_weight = 1.5; });
  refused("teacher_temperature", [](auto& o) { o.teacher_temperature = 0; });
  refused("milestones", [](auto& o) { o.milestones = {5, 0}; });
  refused("decay", [](auto& o) { o.decay = 0; });
  refused("batch", [](auto& o) { o.batch = 1; });
  refused("epochs", [](auto& o) { o.epochs = 0; });
  refused("augment_scale_law", [](auto& o) { o.augment.scale_law = "normal"; });
  refused("augment_interpolation", [](auto& o) { o.augment.interpolation = "nearest"; });
  refused("augment_scale", [](auto& o) { o.augment.scale_octaves = -0.5; });
  refused("augment_crop", [](auto& o) { o.augment.crop_padding = -1; });
  refused("augment_cutout", [](auto& o) { o.augment.cutout = -1; });
  refused("augment_detail", [](auto& o) { o.augment.detail_octaves = 4.5; });
  refused("augment_detail_share", [](auto& o) { o.augment.detail_share = 1.5; });
  refused("precision", [](auto& o) { o.precision = "float16"; });
}

TEST(Random, streams_of_other_seeds_purposes_and_steps_differ) {
  std::set<uint64_t> seeds;
  for (uint64_t seed = 0; seed < 10; ++seed)
    for (const auto purpose : {train::Purpose::weights, train::Purpose::order, train::Purpose::augmentation})
      for (uint64_t index = 0; index < 100; ++index) seeds.insert(train::stream_seed(seed, purpose, index));
  EXPECT_EQ(seeds.size(), 3000U);
  EXPECT_LE(*seeds.rbegin(), uint64_t{1} << 63);
}

}  // namespace
