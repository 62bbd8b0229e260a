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

/// Forward, loss, backward, and the update written down: what a step must equal.
TEST(Step, equals_forward_loss_backward_update) {
  constexpr double kSmoothing = 0.2;
  auto config = scdcf::testing::tiny_config();
  config.train.label_smoothing = kSmoothing;
  config.model.dropout = 0;
  config.train.optimizer = "sgd";
  config.train.weight_decay = 0;
  config.train.momentum = 0;
  config.train.learning_rate = 0.1;
  Bench bench(config);
  const auto indices = scdcf::testing::all_indices(bench.images).narrow(0, 0, 20);
  const auto plain = Bench::make(config);
  for (int i = 0; i < 2; ++i) {
    const auto surprise = -torch::log_softmax(plain->forward(bench.images.images(indices)), 1);
    const auto of_label = surprise.gather(1, bench.images.labels(indices).unsqueeze(1)).mean();
    const auto loss = (1 - kSmoothing) * of_label + kSmoothing * surprise.mean();
    const auto gradients = torch::autograd::grad({loss}, plain->parameters());
    const torch::NoGradGuard no_grad;
    auto parameters = plain->parameters();
    for (size_t p = 0; p < parameters.size(); ++p) parameters[p].sub_(0.1 * gradients[p]);
  }
  for (uint64_t i = 0; i < 2; ++i) bench.step.run(indices, {}, i);
  const auto expected = train::weights_of(*plain);
  for (const auto& [name, tensor] : train::weights_of(*bench.network))
    EXPECT_TRUE(torch::allclose(tensor.to(torch::kDouble), expected.at(name).to(torch::kDouble), 1e-4, 1e-6)) << name;
}

TEST(Step, minimises_the_loss_it_is_given) {
  auto config = scdcf::testing::tiny_config();
  const auto splits = scdcf::testing::tiny_splits();
  const train::DeviceImages images(splits.train, splits.mean, splits.deviation, scdcf::testing::device());
  const auto indices = scdcf::testing::all_indices(images);
  // The mean of an image, whatever it shows, from a network that is no classifier.
  torch::nn::Sequential network(torch::nn::Flatten(), torch::nn::Linear(28 * 28, 1));
  network->to(scdcf::testing::device());
  config.train.learning_rate = 1e-3;
  train::Optimizer optimizer(*network, config.train);
  train::Step step(*network, optimizer, images, config.train,
                   [](const torch::Tensor& output, const train::Batch& batch) {
                     return train::Outcome{torch::mse_loss(output.squeeze(1), batch.images.mean({1, 2, 3})), {}};
                   });
  const auto target = images.images(indices).mean({1, 2, 3});
  const auto expected = torch::mse_loss(network->forward(images.images(indices)).squeeze(1), target).item<double>();
  step.run(indices, {}, 0);
  const auto first = step.totals();
  EXPECT_EQ(first.count, 60);
  EXPECT_EQ(first.correct, 0);  // nothing is right or wrong here
  EXPECT_NEAR(first.loss / 60, expected, 1e-5 * expected);
  for (uint64_t i = 0; i < 100; ++i) step.run(indices, {}, i);
  step.reset_totals();
  step.run(indices, {}, 0);
  EXPECT_LT(step.totals().loss, first.loss / 10);
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

TEST(Step, the_time_of_gathering_and_augmenting_is_part_of_the_step) {
  if (!scdcf::testing::device().is_cpu()) GTEST_SKIP() << "on a GPU the parts of a step are not timed apart";
  auto config = scdcf::testing::tiny_config();
  config.train.augment = {1.0, 4, true, 8};
  Bench bench(config);
  const auto draws = train::draw_augmentation(32, at::detail::createCPUGenerator(1));
  const auto started = std::chrono::steady_clock::now();
  bench.step.run(scdcf::testing::all_indices(bench.images).narrow(0, 0, 32), draws, 0);
  const double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  EXPECT_GT(bench.step.totals().data_seconds, 0);
  EXPECT_LT(bench.step.totals().data_seconds, whole);
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
