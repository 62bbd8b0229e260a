// Plans have the runs that the paper's tables need, and filters leave what they say.
#include "scdcf/tables/plans.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <set>

#include "scdcf/core/error.h"
#include "scdcf/data/named_set.h"
#include "scdcf/data/places.h"
#include "scdcf/models/registry.h"
#include "scdcf/tables/experiments.h"
#include "scdcf/tables/groups.h"
#include "scdcf/tables/paper_numbers.h"
#include "scdcf/tables/plan_parts.h"
#include "support/expect_error.h"
#include "support/scratch_folder.h"

namespace {

using namespace scdcf;
using namespace scdcf::tables;

std::set<std::string> keys_of(const Plan& plan) {
  std::set<std::string> keys;
  for (const auto& run : plan) keys.insert(runs::key_of(run));
  return keys;
}

TEST(PaperTables, have_every_cell_once) {
  std::map<int, int> counts;
  for (const auto& cell : paper_cells()) {
    ++counts[cell.table];
    EXPECT_GT(cell.value.mean, 69);
    EXPECT_LT(cell.value.mean, 99);
    EXPECT_GT(cell.value.deviation, 0);
    EXPECT_LT(cell.value.deviation, 1.3);
    int same = 0;
    for (const auto& other : paper_cells()) same += other.table == cell.table && other.id == cell.id;
    EXPECT_EQ(same, 1);
  }
  EXPECT_EQ(counts, (std::map<int, int>{{1, 96}, {2, 96}, {3, 80}, {4, 7}}));
}

TEST(PaperTables, say_what_the_paper_prints) {
  const auto expect = [](int table, const CellId& id, double mean, double deviation) {
    const auto value = paper_value(table, id);
    ASSERT_TRUE(value.has_value()) << id.model;
    EXPECT_EQ(value->mean, mean) << id.model;
    EXPECT_EQ(value->deviation, deviation) << id.model;
  };
  expect(1, {"smnist", 28, false, 2000, "cnn", 0, 0}, 95.01, 0.27);
  expect(1, {"smnist", 28, true, 10000, "scdcfnet", 0, 0}, 98.19, 0.07);
  expect(1, {"smnist", 56, false, 5000, "dss", 0, 0}, 97.26, 0.10);
  expect(1, {"smnist", 56, true, 2000, "ss-cnn", 0, 0}, 96.90, 0.18);
  expect(2, {"sfashion", 28, false, 10000, "sevf", 0, 0}, 84.73, 0.11);
  expect(2, {"sfashion", 56, true, 10000, "si-cnn", 0, 0}, 87.97, 0.16);
  expect(3, {"smnist", 28, true, 2000, "scdcfnet", 2, 15}, 96.68, 0.31);
  expect(3, {"sfashion", 28, false, 5000, "scdcfnet", 2, 6}, 83.44, 0.29);  // printed as (1, 6)
  expect(3, {"sfashion", 28, false, 5000, "scdcfnet", 1, 6}, 83.61, 0.33);
  expect(4, {"stl10", 96, false, 0, "resnet16-ss", 0, 0}, 69.51, 1.27);
  EXPECT_FALSE(paper_value(1, {"sglyphs", 28, false, 2000, "cnn", 0, 0}).has_value());
}

TEST(PaperTables, table_3_repeats_the_scdcfnet_of_tables_1_and_2) {
  for (const char* data : {"smnist", "sfashion"})
    for (const bool augmented : {false, true})
      for (const std::int64_t train_size : {2000, 5000}) {
        const auto whole =
            paper_value(*data == 's' && data[1] == 'm' ? 1 : 2, {data, 28, augmented, train_size, "scdcfnet", 0, 0});
        const auto ablation = paper_value(3, {data, 28, augmented, train_size, "scdcfnet", 3, 15});
        ASSERT_TRUE(whole && ablation);
        EXPECT_EQ(whole->mean, ablation->mean);
        EXPECT_EQ(whole->deviation, ablation->deviation);
      }
}

TEST(Plans, fill_every_cell_of_the_papers_tables_with_its_own_protocol) {
  const PlanOptions options;
  auto plan = plan_digits(options, "smnist");
  EXPECT_EQ(plan.size(), (8U + 2) * 2 * 2 * 3 * 5);
  for (const auto* more : {"sfashion", "ablation", "stl10"}) {
    const auto part = std::string(more) == "sfashion"   ? plan_digits(options, "sfashion")
                      : std::string(more) == "ablation" ? plan_ablation(options)
                                                        : plan_natural(options);
    plan.insert(plan.end(), part.begin(), part.end());
  }
  std::map<std::string, int> realisations;  // of a cell
  for (const auto& run : plan) EXPECT_EQ(protocol_of(run.config), "") << runs::label_of(run);
  for (const auto& cell : paper_cells()) {
    auto id = cell.id;
    if (id.modes == 15 && id.scale_modes == 3) id.modes = id.scale_modes = 0;
    std::set<int> found;
    for (const auto& run : plan)
      if (cell_of(run.config) == id) found.insert(run.config.data.realisation);
    EXPECT_EQ(found.size(), cell.table == 4 ? 3U : 5U) << cell.table << " " << id.model << " " << id.modes;
  }
}

TEST(Plans, of_the_tables_and_these_alone_train_without_decay_and_rescale_by_a_uniform_factor) {
  PlanOptions options;
  options.realisations = {0};
  auto tables = plan_digits(options, "sfashion");
  const auto ablation = plan_ablation(options);
  tables.insert(tables.end(), ablation.begin(), ablation.end());
  int rescaled = 0;
  for (const auto& [config, measure, machine] : tables) {
    EXPECT_EQ(config.train.optimizer, has_range(config.model.name) ? "adamw" : "adam");
    EXPECT_EQ(config.train.weight_decay, has_range(config.model.name) ? 3 : 0) << config.model.name;
    EXPECT_TRUE(config.model.pooling.empty() && config.model.block.empty()) << "each network its own";
    if (config.train.augment.scale_octaves == 0) continue;
    ++rescaled;
    EXPECT_EQ(config.train.augment.scale_octaves, 1);
    EXPECT_EQ(config.train.augment.scale_law, "factor");
    EXPECT_EQ(config.train.augment.interpolation, "bicubic");
  }
  EXPECT_EQ(rescaled * 2, static_cast<int>(tables.size()));
  for (const auto& plan : {plan_scale_generalisation(options), plan_stir(options), plan_deformation(options)})
    for (const auto& run : plan) {
      if (!has_range(run.config.model.name)) {
        EXPECT_EQ(run.config.train.weight_decay, 1e-4) << runs::label_of(run);
      }
      EXPECT_EQ(protocol_of(run.config, run.measure).find("weight_decay"), std::string::npos);
    }
}

TEST(Plans, of_pooling_have_one_block_for_all_networks) {
  const auto plan = plan_pooling({});
  EXPECT_EQ(plan.size(), 3U * 2 * 2 * 5);
  EXPECT_EQ(keys_of(plan).size(), plan.size());
  for (const auto& run : plan) {
    EXPECT_EQ(protocol_of(run.config), "pooling average, block relu-pool-norm");
    EXPECT_EQ(models::resolve(run.config.model).block, "relu-pool-norm");
  }
  PlanOptions options;
  options.models = {"dss"};
  EXPECT_TRUE(plan_pooling(options).empty());
}

TEST(Plans, of_light_networks_cost_less_than_scdcfnet) {
  const auto plan = plan_light({});
  EXPECT_EQ(plan.size(), 2U * 2 * 2 * 5);
  std::set<std::string> protocols;
  for (const auto& run : plan) {
    protocols.insert(protocol_of(run.config));
    const auto network = models::resolve(run.config.model);
    EXPECT_EQ(network.scale_taps, 1);
    EXPECT_EQ(network.scale_modes, 1);
    EXPECT_EQ((network.scales - 1) * network.scale_step, 1) << "an octave, as before";
  }
  EXPECT_EQ(protocols, (std::set<std::string>{"scale_taps 1", "scale_taps 1, scales 3, scale_step 0.5"}));
}

TEST(Plans, of_augmented_networks_stand_beside_those_that_never_saw_other_sizes) {
  PlanOptions options;
  options.realisations = {0};
  const auto plan = plan_augmented(options);
  EXPECT_EQ(plan.size(), 7U);
  const auto others = keys_of(plan_scale_generalisation(options));
  int rescaled = 0;
  for (const auto& run : plan) {
    EXPECT_EQ(run.config.data.name, "sfashion");
    EXPECT_EQ(run.config.data.smallest_factor, 0.8);
    const bool augmented = run.config.train.augment.scale_octaves > 0;
    rescaled += augmented ? 1 : 0;
    EXPECT_EQ(others.count(runs::key_of(run)), augmented ? 0U : 1U) << "no run is made twice";
    EXPECT_EQ(differences(run.config, without_scaling(run.config)).empty(), !augmented);
  }
  EXPECT_EQ(rescaled, 4);
}

TEST(Plans, networks_of_the_tables_have_one_cell_for_each_set_whatever_modes_they_are_given) {
  PlanOptions options;
  options.models = {"scdcfnet", "scdcfnet-full", "pyramid-cnn"};
  for (const auto& run : plan_digits(options, "smnist")) EXPECT_EQ(cell_of(run.config).modes, 0) << runs::label_of(run);
  auto other = plan_digits(options, "smnist").front().config;
  other.model.modes = 3;
  EXPECT_EQ(cell_of(other).modes, 3);
}

TEST(Plans, networks_of_the_tables_of_digits_are_as_large_as_each_other) {
  PlanOptions options;
  options.models = {"cnn", "scdcfnet", "scdcfnet-full"};
  options.sizes = {28};
  options.train_sizes = {2000};
  options.realisations = {0};
  for (const auto& run : plan_digits(options, "smnist")) {
    auto model = run.config.model;
    model.image_size = 28;
    const auto parameters = models::parameter_count(*models::make_model(model));
    EXPECT_GE(parameters, 470000) << model.name;
    EXPECT_LE(parameters, 495000) << model.name;
  }
}

TEST(Plans, networks_with_a_range_are_taught_where_the_teachers_see_the_same_images) {
  const auto taught = [](const train::RunConfig& config) {
    EXPECT_EQ(config.train.keep, config.train.teachers > 0 ? "last" : "best") << config.model.name;
    return config.train.teachers;
  };
  PlanOptions options;
  options.models = {"cnn", "scdcfnet-full", "pyramid-cnn"};
  options.realisations = {0};
  for (const auto& run : plan_digits(options, "smnist"))
    EXPECT_EQ(taught(run.config), run.config.model.name == "cnn" || run.config.train.augment.moves() ? 0 : 3)
        << run.config.model.name;
  for (const auto& run : plan_scale_generalisation(options))
    EXPECT_EQ(taught(run.config), run.config.model.name == "cnn" ? 0 : 3) << run.config.model.name;
  for (const auto& run : plan_stir(options)) EXPECT_EQ(taught(run.config), 0);
  options.quick = true;
  for (const auto& run : plan_scale_generalisation(options)) EXPECT_EQ(run.config.train.teachers, 0);
}

TEST(Plans, the_full_scdcfnet_of_the_ablation_is_the_one_of_table_1) {
  const PlanOptions options;
  const auto table1 = keys_of(plan_digits(options, "smnist")), ablation = keys_of(plan_ablation(options));
  int shared = 0;
  for (const auto& key : ablation) shared += static_cast<int>(table1.count(key));
  EXPECT_EQ(ablation.size(), 10U * 2 * 2 * 2 * 5);
  EXPECT_EQ(shared, 2 * 2 * 5);
}

TEST(Plans, filters_leave_what_they_say) {
  PlanOptions options;
  options.models = {"cnn", "scdcfnet"};
  options.sizes = {28};
  options.train_sizes = {2000};
  options.realisations = {0, 1};
  options.augmentation = "plain";
  const auto plan = plan_digits(options, "smnist");
  EXPECT_EQ(plan.size(), 4U);
  const auto all = keys_of(plan_digits({}, "smnist"));
  for (const auto& key : keys_of(plan)) EXPECT_EQ(all.count(key), 1U) << "a part of the whole, not something else";
  options.models = {"resnet16"};
  EXPECT_TRUE(plan_digits(options, "smnist").empty());
  options.augmentation = "some";
  EXPECT_THROW(plan_digits(options, "smnist"), scdcf::Error);
}

TEST(Plans, fewer_epochs_keep_the_shape_of_the_learning_rate) {
  PlanOptions options;
  options.epochs = 30;
  const auto run = plan_digits(options, "smnist").front();
  EXPECT_EQ(run.config.train.epochs, 30);
  EXPECT_EQ(run.config.train.milestones, (std::vector<std::int64_t>{10, 20}));
  EXPECT_EQ(protocol_of(run.config), "epochs 30");
  options.epochs = 100;
  EXPECT_EQ(plan_natural(options).front().config.train.milestones, (std::vector<std::int64_t>{30, 40, 60, 80}));
}

TEST(Plans, a_run_of_one_epoch_makes_it_at_the_full_rate) {
  PlanOptions options;
  options.epochs = 1;
  for (const auto& run : {plan_digits(options, "smnist").front(), plan_natural(options).front()})
    EXPECT_EQ(scdcf::train::learning_rate(run.config.train, 0), run.config.train.learning_rate);
}

TEST(Plans, cost_trains_nothing_that_the_tables_do_not_and_measures_each_network_once) {
  PlanOptions options;
  const auto plan = plan_cost(options, "a machine");
  auto known = keys_of(plan_digits(options, "smnist"));
  known.merge(keys_of(plan_ablation(options)));
  for (const auto& key : keys_of(plan.accuracy)) EXPECT_EQ(known.count(key), 1U);
  EXPECT_EQ(plan.cost.size(), 8U + 2 + 3);  // the paper's networks and ours, and ScDCFNet with K = 12, 10, 6
  EXPECT_EQ(keys_of(plan.cost).size(), plan.cost.size());
  EXPECT_NE(keys_of(plan_cost(options, "another").cost), keys_of(plan.cost)) << "a machine's cost is its own";
}

TEST(Plans, quick_ones_use_the_data_that_is_at_hand_and_the_sizes_asked_for) {
  const scdcf::testing::TemporaryFolder folder;
  for (const std::string name : {"mnist", "fashion"})
    folder.write(name + "/train-images-idx3-ubyte", std::string("found by its name"));
  PlanOptions options;
  options.quick = true;
  options.data_dir = folder.path();
  for (const std::string name : {"smnist", "sfashion"})
    for (const auto& run : plan_digits(options, name)) {
      EXPECT_EQ(run.config.data.name, name);
      EXPECT_EQ(run.config.data.size, 28);
      EXPECT_LE(run.config.data.train_size, 200) << "a small subset";
      EXPECT_TRUE(is_quick(run.config));
    }
  EXPECT_EQ(plan_ablation(options).front().config.data.name, "smnist");
  EXPECT_EQ(plan_natural(options).front().config.data.name, "sglyphs");
  options.sizes = {56};
  const auto large = plan_digits(options, "smnist");
  ASSERT_FALSE(large.empty());
  for (const auto& run : large) EXPECT_EQ(run.config.data.size, 56);
  options.data = {"sglyphs"};
  EXPECT_EQ(plan_digits(options, "smnist").front().config.data.name, "sglyphs");
  EXPECT_FALSE(is_quick(plan_digits({}, "smnist").front().config));
}

TEST(Plans, quick_ones_are_small_and_need_no_files) {
  PlanOptions options;
  options.quick = true;
  Plan plan;
  for (const auto& part : {plan_digits(options, "smnist"), plan_digits(options, "sfashion"), plan_ablation(options),
                           plan_natural(options), plan_scale_generalisation(options), plan_stir(options),
                           plan_pooling(options), plan_light(options), plan_augmented(options),
                           plan_large_scale(options), plan_deformation(options), plan_cost(options, "m").accuracy})
    plan.insert(plan.end(), part.begin(), part.end());
  double images = 0;
  for (const auto& run : plan) {
    const auto& name = run.config.data.name;
    const auto base = data::named_set(name).base;
    EXPECT_TRUE(base == "glyphs" || !data::find_dataset(base, "").empty()) << name;
    images += runs::work_of(run);
  }
  EXPECT_LT(images, 100000);
}

TEST(Plans, image_folders_get_the_recipe_of_stl10_in_proportion) {
  PlanOptions options;
  options.data = {"tiny-imagenet-10"};
  const auto config = plan_natural(options).front().config;
  EXPECT_EQ(config.data.size, 64);
  EXPECT_EQ(config.train.augment.crop_padding, 8);
  EXPECT_EQ(config.train.augment.cutout, 21);
  EXPECT_EQ(plan_natural({}).front().config.train.augment.crop_padding, 12);
  EXPECT_EQ(plan_natural({}).front().config.train.augment.cutout, 32);
}

TEST(Experiments, name_a_network_that_they_have_no_runs_of) {
  PlanOptions options;
  options.list = true;
  options.print = [](const std::string&) {};
  options.models = {"cnn"};
  const auto smnist = experiments().front();
  EXPECT_NO_THROW(smnist.run(options));
  options.models.emplace_back("resnet16");
  scdcf::testing::expect_error([&] { smnist.run(options); }, "resnet16", "smnist", "cnn");
}

}  // namespace
