#include "scdcf/nn/dropout.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "support/device.h"
#include "support/expect_error.h"

namespace scdcf::nn {
namespace {

at::Generator seeded_generator(uint64_t seed) {
  auto generator = torch::globalContext().defaultGenerator(testing::device()).clone();
  generator.set_current_seed(seed);
  return generator;
}

TEST(Dropout, zeroes_a_share_and_keeps_the_mean) {
  torch::manual_seed(1);
  const auto ones = torch::ones({100000}, testing::on_device(torch::kDouble));
  const auto out = Dropout(0.3)->forward(ones);
  EXPECT_NEAR((out == 0).to(torch::kDouble).mean().item<double>(), 0.3, 0.01);
  EXPECT_NEAR(out.max().item<double>(), 1 / 0.7, 1e-12);
  EXPECT_NEAR(out.mean().item<double>(), 1, 0.02);
}

TEST(Dropout, gradients_take_the_way_of_what_was_kept) {
  const auto x = torch::rand({40, 30}, testing::on_device(torch::kFloat)).add_(1).requires_grad_();
  const auto out = Dropout(0.4)->forward(x);
  const auto weights = torch::randn_like(out);
  const auto kept = (out != 0).to(torch::kFloat) / 0.6;
  EXPECT_TRUE(torch::allclose(torch::autograd::grad({(out * weights).sum()}, {x})[0], weights * kept));
}

TEST(Dropout, is_the_identity_in_eval_mode) {
  Dropout layer(0.9);
  layer->eval();
  const auto x = torch::randn({50}, testing::on_device(torch::kFloat));
  EXPECT_TRUE(torch::equal(layer(x), x));
}

TEST(Dropout, draws_from_the_innermost_scope_and_leaves_the_default_generator_alone) {
  const auto ones = torch::ones({1000}, testing::on_device(torch::kFloat));
  Dropout layer(0.5);
  const RandomScope outer(seeded_generator(1));
  const auto first = layer(ones);
  {
    const RandomScope inner(seeded_generator(1));
    EXPECT_TRUE(torch::equal(layer(ones), first));
  }
  EXPECT_FALSE(torch::equal(layer(ones), first));  // the outer stream has gone on
  torch::manual_seed(5);
  const auto expected = torch::rand({4});
  torch::manual_seed(5);
  layer(ones);
  EXPECT_TRUE(torch::equal(torch::rand({4}), expected));
}

TEST(RandomScope, ends_with_its_block) {
  EXPECT_FALSE(RandomScope::current().has_value());
  {
    const RandomScope scope(seeded_generator(1));
    EXPECT_TRUE(RandomScope::current().has_value());
  }
  EXPECT_FALSE(RandomScope::current().has_value());
}

TEST(Dropout, refuses_what_is_no_probability) {
  testing::expect_error([] { Dropout(1.0); }, "got 1");
  testing::expect_error([] { Dropout(-0.1); }, "-0.1");
}

}  // namespace
}  // namespace scdcf::nn
