// The flat optimizers agree with torch's, step by step.
#include "scdcf/train/optimizer.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "support/device.h"
#include "support/expect_error.h"

namespace {

using namespace scdcf;
using scdcf::testing::expect_error;
using scdcf::testing::on_device;

torch::nn::Sequential small_layers() {
  torch::manual_seed(5);
  torch::nn::Sequential layers(torch::nn::Linear(6, 5), torch::nn::Tanh(), torch::nn::Linear(5, 3));
  layers->to(scdcf::testing::device(), torch::kDouble);
  return layers;
}

torch::Tensor loss_at(torch::nn::Sequential& layers, int step) {
  torch::manual_seed(100 + static_cast<uint64_t>(step));
  const auto input = torch::randn({4, 6}, torch::kDouble).to(scdcf::testing::device());
  return layers->forward(input).pow(2).sum();
}

torch::Tensor no() { return torch::zeros({}, on_device(torch::kBool)); }

void one_step(train::Optimizer& optimizer, torch::nn::Sequential& layers, int step) {
  optimizer.step(torch::autograd::grad({loss_at(layers, step)}, optimizer.parameters()), no());
}

void expect_same_path(const train::TrainOptions& options, torch::optim::Optimizer& reference,
                      torch::nn::Sequential& theirs) {
  auto ours = small_layers();
  train::Optimizer optimizer(*ours, options);
  for (int step = 0; step < 30; ++step) {
    const double rate = step < 20 ? options.learning_rate : options.learning_rate / 10;
    optimizer.set_learning_rate(rate);
    for (auto& group : reference.param_groups()) group.options().set_lr(rate);
    one_step(optimizer, ours, step);
    reference.zero_grad();
    loss_at(theirs, step).backward();
    reference.step();
    for (size_t i = 0; i < ours->parameters().size(); ++i)
      ASSERT_LE((ours->parameters()[i] - theirs->parameters()[i]).abs().max().item<double>(), 1e-9) << "step " << step;
  }
}

train::TrainOptions options_of(const char* name, double weight_decay) {
  train::TrainOptions options;
  options.optimizer = name;
  options.learning_rate = name == std::string("adam") ? 0.01 : 0.003;
  options.weight_decay = weight_decay;
  return options;
}

TEST(Optimizer, every_parameter_begins_at_a_multiple_of_16_bytes) {
  auto layers = small_layers();
  layers->to(torch::kFloat);  // 30, 5, 15 and 3 numbers: one behind the other they would begin anywhere
  std::vector<torch::Tensor> before;
  for (const auto& parameter : layers->parameters()) before.push_back(parameter.detach().clone());
  const train::Optimizer optimizer(*layers, options_of("sgd", 0));
  for (size_t i = 0; i < before.size(); ++i) {
    const auto& parameter = optimizer.parameters()[i];
    EXPECT_EQ(reinterpret_cast<uintptr_t>(parameter.data_ptr()) % 16, 0U) << "parameter " << i;
    EXPECT_TRUE(torch::equal(parameter, before[i])) << "parameter " << i;
  }
}

TEST(Optimizer, adam_takes_the_steps_of_torch) {
  for (const double weight_decay : {0.0, 0.01}) {
    const auto options = options_of("adam", weight_decay);
    auto theirs = small_layers();
    torch::optim::Adam reference(theirs->parameters(),
                                 torch::optim::AdamOptions(options.learning_rate).weight_decay(weight_decay));
    expect_same_path(options, reference, theirs);
  }
}

TEST(Optimizer, adamw_takes_the_steps_of_torch) {
  for (const double weight_decay : {0.0, 0.01}) {
    const auto options = options_of("adamw", weight_decay);
    auto theirs = small_layers();
    std::vector<torch::Tensor> weights, biases;  // which do not decay
    for (const auto& parameter : theirs->parameters()) (parameter.dim() > 1 ? weights : biases).push_back(parameter);
    ASSERT_FALSE(weights.empty() || biases.empty());
    const auto group = [&](const std::vector<torch::Tensor>& parameters, double decay) {
      return torch::optim::OptimizerParamGroup(
          parameters, std::make_unique<torch::optim::AdamWOptions>(
                          torch::optim::AdamWOptions(options.learning_rate).weight_decay(decay)));
    };
    torch::optim::AdamW reference(
        std::vector<torch::optim::OptimizerParamGroup>{group(weights, weight_decay), group(biases, 0)});
    expect_same_path(options, reference, theirs);
  }
}

TEST(Optimizer, sgd_takes_the_steps_of_torch_with_nesterov_momentum) {
  for (const double weight_decay : {0.0, 0.01}) {
    const auto options = options_of("sgd", weight_decay);
    auto theirs = small_layers();
    torch::optim::SGD reference(theirs->parameters(), torch::optim::SGDOptions(options.learning_rate)
                                                          .momentum(options.momentum)
                                                          .nesterov(true)
                                                          .weight_decay(weight_decay));
    expect_same_path(options, reference, theirs);
  }
}

TEST(Optimizer, parameters_keep_their_values_and_become_views_of_one_buffer) {
  auto layers = small_layers(), before = small_layers();
  const train::Optimizer optimizer(*layers, {});
  for (size_t i = 0; i < layers->parameters().size(); ++i) {
    EXPECT_TRUE(torch::equal(layers->parameters()[i], before->parameters()[i]));
    EXPECT_EQ(layers->parameters()[i].storage().data(), layers->parameters()[0].storage().data());
  }
}

TEST(Optimizer, its_state_is_all_it_needs_to_go_on) {
  for (const char* name : {"adam", "sgd"}) {
    auto layers = small_layers(), resumed = small_layers();
    train::Optimizer optimizer(*layers, options_of(name, 0.01));
    for (int step = 0; step < 5; ++step) one_step(optimizer, layers, step);
    train::Optimizer second(*resumed, options_of(name, 0.01));
    const torch::NoGradGuard no_grad;
    for (size_t i = 0; i < layers->parameters().size(); ++i) resumed->parameters()[i].copy_(layers->parameters()[i]);
    second.load_state(optimizer.state());
    const torch::AutoGradMode grad(true);
    for (int step = 5; step < 10; ++step) {
      one_step(optimizer, layers, step);
      one_step(second, resumed, step);
    }
    for (size_t i = 0; i < layers->parameters().size(); ++i)
      EXPECT_TRUE(torch::equal(layers->parameters()[i], resumed->parameters()[i])) << name;
  }
}

TEST(Optimizer, refuses_the_state_of_another_one) {
  auto layers = small_layers();
  train::Optimizer adam(*layers, options_of("adam", 0));
  auto other = small_layers();
  const train::Optimizer sgd(*other, options_of("sgd", 0));
  expect_error([&] { adam.load_state(sgd.state()); }, "second_moment", "missing");
  auto state = adam.state();
  state["first_moment"] = torch::zeros({3});
  expect_error([&] { adam.load_state(state); }, "first_moment", "[3]");
}

TEST(Optimizer, leaves_the_weights_alone_where_the_step_is_broken) {
  auto layers = small_layers(), before = small_layers();
  train::Optimizer optimizer(*layers, {});
  std::vector<torch::Tensor> gradients;
  for (const auto& parameter : optimizer.parameters()) gradients.push_back(torch::full_like(parameter, NAN));
  optimizer.step(gradients, no().logical_not());
  for (size_t i = 0; i < layers->parameters().size(); ++i)
    EXPECT_TRUE(torch::equal(layers->parameters()[i], before->parameters()[i]));
}

}  // namespace
