// Experiments on sets of many sizes: which runs they have, and that the networks can be made for them.
#include <gtest/gtest.h>

#include <torch/torch.h>

#include <set>

#include "scdcf/core/error.h"
#include "scdcf/data/named_set.h"
#include "scdcf/models/registry.h"
#include "scdcf/tables/paper_numbers.h"
#include "scdcf/tables/plan_parts.h"
#include "scdcf/tables/plans.h"
#include "support/scratch_folder.h"

namespace {

using namespace scdcf;
using namespace scdcf::tables;

/// As training fits the network to the objects of the set.
models::ModelOptions fitted(const train::RunConfig& config, double smallest, double largest) {
  auto model = config.model;
  model.image_size = config.data.size;
  if (has_range(model.name)) {
    model.smallest_object = smallest;
    model.largest_object = largest;
    model.read_out = data::named_set(config.data.name).kind == data::SetKind::stir ? "anywhere" : "centre";
  }
  return models::resolve(model);
}

TEST(StirPlan, has_every_scenario_for_every_network_and_realisation) {
  const auto plan = plan_stir({});
  EXPECT_EQ(plan.size(), 5U * 2 * 3 * 5);
  std::set<std::string> keys;
  for (const auto& run : plan) {
    keys.insert(runs::key_of(run));
    EXPECT_EQ(run.measure, runs::Measure::scales);
    EXPECT_EQ(run.config.data.largest_size - run.config.data.smallest_size, 15);
    EXPECT_EQ(run.config.data.train_size, 0) << "all there are";
  }
  EXPECT_EQ(keys.size(), plan.size());
}

TEST(StirPlan, networks_with_a_range_look_for_all_sizes_by_their_own_recipe) {
  for (const auto& run : plan_stir({})) {
    const auto& [model, data, train] = run.config;
    const auto options = fitted(run.config, data.smallest_size / 64.0, data.largest_size / 64.0);
    EXPECT_EQ(options.image_size, 64);
    if (has_range(model.name)) {
      EXPECT_DOUBLE_EQ(data.smallest_size / model.smaller, 17);
      EXPECT_DOUBLE_EQ(data.largest_size * model.larger, 64);
      EXPECT_EQ(train.epochs, 8);
      EXPECT_EQ(train.batch, 32);
      EXPECT_EQ(data.normalisation, "black");
    } else {
      EXPECT_EQ(model.smaller, 0);
      EXPECT_EQ(train.epochs, 60);
    }
  }
}

TEST(StirPlan, filters_leave_what_they_say) {
  PlanOptions options;
  options.models = {"dss", "scdcfnet-full"};  // all networks of digits can be asked for
  options.realisations = {3};
  options.data = {"stir-glyphs"};
  options.epochs = 2;
  const auto plan = plan_stir(options);
  EXPECT_EQ(plan.size(), 2U * 3);
  for (const auto& run : plan) EXPECT_EQ(run.config.train.epochs, 2);
  options.sizes = {28};
  EXPECT_TRUE(plan_stir(options).empty());
  EXPECT_TRUE(plan_large_scale(options).empty());
}

TEST(StirPlan, another_kind_of_set_is_refused_by_name) {
  PlanOptions options;
  options.data = {"smnist"};
  for (const auto& plan : {plan_stir, plan_large_scale}) try {
      plan(options);
      ADD_FAILURE() << "planned";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).rfind("data: got smnist, expected ", 0), 0U) << error.what();
    }
}

TEST(LargeScalePlan, trains_at_three_scales_and_looks_for_all_seventeen) {
  const auto plan = plan_large_scale({});
  EXPECT_EQ(plan.size(), 3U * 3 * 3);
  std::set<double> scales;
  for (const auto& run : plan) {
    const auto& [model, data, train] = run.config;
    scales.insert(data.train_scale);
    EXPECT_EQ(data.train_size, 10000);
    EXPECT_EQ(data.test_scale, 0) << "all";
    fitted(run.config, data.train_scale / 4, data.train_scale / 4);
    if (!has_range(model.name)) continue;
    EXPECT_DOUBLE_EQ(data.train_scale / model.smaller, 0.5);
    EXPECT_DOUBLE_EQ(data.train_scale * model.larger, 8);
    EXPECT_EQ(train.epochs, 10);
  }
  EXPECT_EQ(scales, (std::set<double>{1, 2, 4}));
}

TEST(SizePlans, the_papers_networks_take_images_of_these_sides) {
  const torch::NoGradGuard no_grad;
  const auto expect_scores = [](const std::string& name, int64_t side) {
    models::ModelOptions options;
    options.name = name;
    options.image_size = side;
    const auto network = models::make_model(options);
    network->eval();
    EXPECT_EQ(network->forward(torch::rand({1, 1, side, side})).sizes(), (std::vector<int64_t>{1, 10})) << name;
  };
  for (const auto& name : digit_models()) expect_scores(name, 64);
  expect_scores("cnn", 112);
  expect_scores("scdcfnet", 112);
}

TEST(SizePlans, quick_ones_have_one_scenario_and_two_networks_of_what_is_at_hand) {
  const scdcf::testing::TemporaryFolder folder;
  folder.write("mnist/train-images-idx3-ubyte", std::string("found by its name"));
  PlanOptions options;
  options.quick = true;
  options.data_dir = folder.path();
  for (const auto& [plan, name] :
       {std::pair{plan_stir(options), "stir-mnist"}, {plan_large_scale(options), "mnist-large-scale"}}) {
    EXPECT_EQ(plan.size(), 2U);
    for (const auto& run : plan) {
      EXPECT_EQ(run.config.data.name, name);
      EXPECT_TRUE(is_quick(run.config));
    }
  }
}

TEST(SizePlans, labels_tell_what_was_trained_on_and_work_goes_with_pixels) {
  const auto stir = plan_stir({}), large = plan_large_scale({});
  EXPECT_EQ(runs::label_of(stir.front()), "cnn stir-mnist 64 17-32 px realisation 0");
  EXPECT_EQ(runs::label_of(large.front()), "cnn mnist-large-scale 112 N=10000 s=1 realisation 0");
  const double pixels = 64 * 64 / (28.0 * 28);
  EXPECT_NEAR(runs::work_of(stir.front()), pixels * (60 * (8000 + 2000 / 3.0) + 24000 / 3.0), 1);
  auto unsized = large.front();
  unsized.config.data.size = 0;
  EXPECT_DOUBLE_EQ(runs::work_of(unsized), runs::work_of(large.front())) << "the set's own size";
}

}  // namespace
