// One training step: it learns, it repeats exactly, it stops where the loss breaks, and its data is no burden.
#include "scdcf/train/step.h"

#include <gtest/gtest.h>

#include <chrono>

#include "scdcf/core/runtime.h"
#include "scdcf/train/augment.h"
#include "scdcf/train/diagnosis.h"
#include "train/tiny.h"

namespace {

using namespace scdcf;

/// A network with everything that trains it.
struct Bench {
  explicit Bench(const train::RunConfig& config, data::Splits splits = scdcf::testing::tiny_splits())
      : splits(std::move(splits)),
        images(this->splits.train, this->splits.mean, this->splits.deviation, scdcf::testing::device()),
        network(make(config)),
        optimizer(*network, config.train),
        step(*network, optimizer, images, config.train) {}

  static std::shared_ptr<models::Network> make(const train::RunConfig& config) {
    torch::manual_seed(4);
    auto network = models::make_model(config.model);
    network->to(scdcf::testing::device());
    network->train();
    return network;
  }

  data::Splits splits;
  train::DeviceImages images;
  std::shared_ptr<models::Network> network;
  train::Optimizer optimizer;
  train::Step step;
};

TEST(Step, lowers_the_loss_of_images_it_sees_again_and_again) {
  auto config = scdcf::testing::tiny_config();
  config.model.dropout = 0;
  Bench bench(config);
  const auto indices = scdcf::testing::all_indices(bench.images);
  bench.step.run(indices, {}, 0);
  const auto first = bench.step.totals();
  EXPECT_EQ(first.count, 60);
  EXPECT_EQ(first.first_bad_step, -1);
  for (uint64_t i = 0; i < 20; ++i) bench.step.run(indices, {}, i);
  bench.step.reset_totals();
  bench.step.run(indices, {}, 0);
  const auto last = bench.step.totals();
  EXPECT_LT(last.loss, first.loss / 2);
  EXPECT_GT(last.correct, first.correct);
  EXPECT_EQ(last.count, 60);
}

TEST(Step, repeats_exactly_and_depends_on_the_seed_of_dropout) {
  auto config = scdcf::testing::tiny_config();
  config.train.augment = {0.5, 2, true, 4};
  const auto draws = train::draw_augmentation(60, at::detail::createCPUGenerator(1)).to(scdcf::testing::device());
  const auto weights_after = [&](uint64_t seed) {
    Bench bench(config);
    const auto indices = scdcf::testing::all_indices(bench.images);
    for (uint64_t i = 0; i < 3; ++i) bench.step.run(indices.narrow(0, 0, 30), draws.narrow(0, 0, 30), seed + i);
    bench.step.run(indices.narrow(0, 30, 20), draws.narrow(0, 30, 20), seed);
    return bench.network;
  };
  const auto first = weights_after(10);
  EXPECT_FALSE(scdcf::testing::same_weights(*first, *weights_after(11)));
  if (scdcf::testing::device().is_cuda()) GTEST_SKIP() << "some sums on a GPU depend on the order of its threads";
  EXPECT_TRUE(scdcf::testing::same_weights(*first, *weights_after(10)));
}

TEST(Step, remembers_the_first_step_whose_loss_is_not_finite_and_keeps_its_weights) {
  Bench bench(scdcf::testing::tiny_config());
  const auto indices = scdcf::testing::all_indices(bench.images).narrow(0, 0, 20);
  bench.step.run(indices, {}, 0);
  {
    const torch::NoGradGuard no_grad;
    bench.network->parameters().back().fill_(INFINITY);
  }
  const auto before = train::weights_of(*bench.network);
  bench.step.run(indices, {}, 1);
  bench.step.run(indices, {}, 2);
  EXPECT_EQ(bench.step.totals().first_bad_step, 1);
  const auto after = train::weights_of(*bench.network);
  for (const auto& parameter : bench.network->named_parameters())
    EXPECT_TRUE(torch::equal(after.at(parameter.key()), before.at(parameter.key()))) << parameter.key();
  bench.step.reset_totals();
  EXPECT_EQ(bench.step.totals().first_bad_step, -1);
}

TEST(Step, gathering_and_augmenting_takes_less_than_3_percent_of_a_step) {
  if (!scdcf::testing::device().is_cpu()) GTEST_SKIP() << "on a GPU the parts of a step are not timed apart";
  set_threads(0);
  train::RunConfig config;  // the network of the tables, 28 x 28
  config.train.augment = {1.0, 4, true, 8};
  Bench bench(config);
  const auto indices = scdcf::testing::all_indices(bench.images).narrow(0, 0, 32);
  const auto draws = train::draw_augmentation(32, at::detail::createCPUGenerator(1));
  bench.step.run(indices, draws, 0);  // everything is set up once
  double least = 1;                   // of several: what else runs on the machine hits the small part hardest
  for (int repetition = 0; repetition < 5; ++repetition) {
    bench.step.reset_totals();
    const auto started = std::chrono::steady_clock::now();
    bench.step.run(indices, draws, 1);
    const double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    const double data = bench.step.totals().data_seconds;
    EXPECT_GT(data, 0);
    least = std::min(least, data / whole);
  }
  EXPECT_LT(least, 0.03);
}

/// Its second block divides by zero.
struct BrokenNetwork : models::Network {
  BrokenNetwork() { layer = register_module("layer", torch::nn::Linear(28 * 28, 10)); }
  std::vector<models::LayerOutput> features(const torch::Tensor& images) override {
    return {{"block 1", images * 2}, {"block 2", block2 ? images / 0 : images}};
  }
  torch::Tensor forward(const torch::Tensor& images) override {
    return layer->forward(features(images).back().maps.flatten(1));
  }
  torch::nn::Linear layer{nullptr};
  bool block2 = true;
};

TEST(Diagnosis, names_the_first_layer_that_is_not_finite) {
  BrokenNetwork network;
  const auto images = torch::ones({2, 1, 28, 28});
  EXPECT_EQ(train::first_bad_layer(network, images), "block 2");
  network.block2 = false;
  EXPECT_EQ(train::first_bad_layer(network, images), "the loss");
  EXPECT_EQ(train::first_bad_layer(network, images / 0), "the input images");
  const torch::NoGradGuard no_grad;
  network.layer->weight.fill_(3e38);
  EXPECT_EQ(train::first_bad_layer(network, images), "the layers behind block 2");
  network.layer->bias.fill_(NAN);
  EXPECT_EQ(train::first_bad_layer(network, images), "the weights layer.bias");
}

}  // namespace
