// What a benchmark times is what a user's training runs, and its forms of a network compute the same.
#include "scdcf/bench/training_step.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "scdcf/bench/convolutions_alone.h"
#include "scdcf/models/registry.h"
#include "support/device.h"
#include "support/expect_error.h"

namespace {

using namespace scdcf;

/// A small ScDCFNet on a small batch.
bench::TrainingSetup small_setup() {
  bench::TrainingSetup setup;
  setup.model.channels = {4, 4, 4};
  setup.model.scales = 3;
  setup.model.hidden = 32;
  setup.model.algorithm = "separable";
  setup.train.batch = 12;
  return setup;
}

/// All weights behind each other, in the order of the layers.
torch::Tensor weights(const torch::nn::Module& network) {
  std::vector<torch::Tensor> flat;
  for (const auto& parameter : network.parameters()) flat.push_back(parameter.detach().flatten());
  return torch::cat(flat).cpu();
}

/// After three steps from the weights of one seed.
torch::Tensor trained_weights(const bench::TrainingSetup& setup) {
  torch::manual_seed(7);
  bench::TrainingStep step(setup, scdcf::testing::device());
  for (int i = 0; i < 3; ++i) step.run();
  return weights(step.network());
}

TEST(TrainingStep, gives_the_weights_that_the_trainers_step_gives) {
  if (scdcf::testing::device().is_cuda()) GTEST_SKIP() << "some sums on a GPU depend on the order of its threads";
  const auto setup = small_setup();
  torch::manual_seed(7);
  bench::TrainingStep timed(setup, torch::kCPU);
  torch::manual_seed(7);
  const auto network = models::make_model(setup.model);
  EXPECT_TRUE(torch::equal(weights(*network), weights(timed.network())));
  train::Optimizer optimizer(*network, setup.train);
  train::Step step(*network, optimizer, timed.images(), setup.train);
  for (uint64_t i = 1; i <= 3; ++i) {
    timed.run();
    step.run(timed.indices(), {}, i);
  }
  EXPECT_TRUE(torch::equal(weights(*network), weights(timed.network())));
}

TEST(TrainingStep, every_form_of_the_network_learns_the_same) {
  auto setup = small_setup();
  setup.train.optimizer = "sgd";  // Adam's first steps are of one size however small the gradient
  const auto expected = trained_weights(setup);
  auto composed = setup, torchs_layers = setup, faster = setup;
  composed.model.algorithm = "composed";
  torchs_layers.fused_norm = false;
  faster.train.learning_rate *= 2;
  EXPECT_LT(scdcf::testing::relative_error(trained_weights(composed), expected), 1e-4);
  EXPECT_LT(scdcf::testing::relative_error(trained_weights(torchs_layers), expected), 1e-4);
  EXPECT_GT(scdcf::testing::relative_error(trained_weights(faster), expected), 1e-3);
}

TEST(ConvolutionsAlone, are_those_of_28_or_56_pixels) {
  scdcf::testing::expect_error([] { bench::ConvolutionsAlone(30, 1, false, torch::kCPU); },
                               "got images of 30 pixels, expected 28 or 56");
  bench::ConvolutionsAlone convolutions(28, 1, false, scdcf::testing::device());
  convolutions.run();
  convolutions.run_products();
}

}  // namespace
