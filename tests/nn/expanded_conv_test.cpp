#include "scdcf/nn/expanded_conv.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <sstream>

#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"
#include "scdcf/nn/pooling.h"
#include "support/device.h"
#include "support/expect_error.h"
#include "support/layers.h"

namespace scdcf::nn {
namespace {

using testing::expect_error;

const basis::ScaleGrid kThreeScales(3, 0.5, 3.0);

TEST(ExpandedConv, layers_compose_train_and_move_to_the_device) {
  torch::manual_seed(3);
  torch::nn::Sequential net(LiftingConv(LiftingConvOptions(1, 4, kThreeScales).modes(6).bias(false)), ScaleBatchNorm(4),
                            torch::nn::ReLU(), SpatialAvgPool(),
                            JointConv(JointConvOptions(4, 6, kThreeScales).modes(6)), torch::nn::ReLU(),
                            ScaleMaxProjection(), torch::nn::Flatten(), torch::nn::Linear(6 * 16, 2));
  net->to(testing::device());
  const auto images = torch::randn({16, 1, 8, 8}, testing::on_device(torch::kFloat));
  const auto labels = (images.mean({1, 2, 3}) > 0).to(torch::kLong);
  torch::optim::Adam optimizer(net->parameters(), 0.02);
  float first = 0, last = 0;
  for (int step = 0; step < 40; ++step) {
    optimizer.zero_grad();
    const auto loss = torch::nn::functional::cross_entropy(net->forward(images), labels);
    loss.backward();
    optimizer.step();
    last = loss.item<float>();
    if (step == 0) first = last;
  }
  EXPECT_LT(last, first / 4);
}

TEST(ExpandedConv, states_hold_only_coefficients_and_what_they_are_for_and_give_the_same_output) {
  torch::manual_seed(4);
  const auto options = JointConvOptions(2, 3, kThreeScales).modes(5);
  JointConv saved(options), loaded(options);
  std::stringstream stream;
  torch::save(saved, stream);
  torch::load(loaded, stream);
  saved->to(testing::device());
  loaded->to(testing::device());
  const auto x = testing::random_tensor({2, 2, 3, 6, 6}, torch::kFloat);
  EXPECT_TRUE(torch::equal(saved(x), loaded(x)));
  EXPECT_EQ(saved->named_parameters().keys(), (std::vector<std::string>{"coefficients", "bias"}));
  EXPECT_EQ(saved->named_buffers().keys(), (std::vector<std::string>{"signature"}));
}

TEST(ExpandedConv, a_clone_shares_nothing) {
  JointConv layer(JointConvOptions(2, 2, kThreeScales).modes(3));
  layer->to(testing::device());
  const auto copy = std::dynamic_pointer_cast<JointConvImpl>(layer->clone());
  const auto x = testing::random_tensor({1, 2, 3, 6, 6}, torch::kFloat);
  const auto before = layer(x);
  EXPECT_TRUE(torch::equal(copy->forward(x), before));
  {
    const torch::NoGradGuard no_grad;
    copy->coefficients.zero_();
  }
  EXPECT_TRUE(torch::equal(layer(x), before));
}

TEST(ExpandedConv, works_in_double_after_having_worked_in_float) {
  // The converted filters are cached; the cache must follow the type.
  JointConv layer(JointConvOptions(2, 2, kThreeScales).modes(3));
  layer->to(testing::device());
  const auto x = testing::random_tensor({1, 2, 3, 6, 6}, torch::kFloat);
  const auto single = layer(x);
  layer->to(torch::kDouble);
  EXPECT_LT(testing::relative_error(single, layer(x.to(torch::kDouble))), 1e-5);
}

TEST(ExpandedConv, prints_what_it_is_made_of) {
  std::ostringstream text;
  text << LiftingConv(LiftingConvOptions(1, 4, kThreeScales).modes(6).bias(false)) << '\n'
       << JointConv(JointConvOptions(2, 3, kThreeScales).modes(5).stride(2));
  EXPECT_EQ(
      text.str(),
      "scdcf::nn::LiftingConv(1 -> 4, 3 scales, widths 3 .. 6 px, sine K=6, no bias)\n"
      "scdcf::nn::JointConv(2 -> 3, 3 scales, widths 3 .. 6 px, sine K=5, K_alpha=3, L_alpha=3 one-sided replicate, "
      "stride 2)");
}

TEST(ExpandedConv, options_out_of_range_are_named) {
  expect_error([] { LiftingConv(LiftingConvOptions(0, 1, kThreeScales)); }, "in_channels", "got 0");
  expect_error([] { LiftingConv(LiftingConvOptions(1, -2, kThreeScales)); }, "out_channels", "got -2");
  expect_error([] { LiftingConv(LiftingConvOptions(1, 1, kThreeScales).modes(0)); }, "modes K", "got 0");
  expect_error([] { LiftingConv(LiftingConvOptions(1, 1, kThreeScales).modes(1 << 20)); }, "modes K", "got 1048576");
  expect_error([] { LiftingConv(LiftingConvOptions(1, 1, kThreeScales).basis("cosine")); }, "cosine", "sine",
               "bspline");
  expect_error([] { LiftingConv(LiftingConvOptions(1, 1, kThreeScales).stride(3)); }, "stride", "got 3");
  expect_error([] { LiftingConv(LiftingConvOptions(1, 1, kThreeScales).max_kernel_size(4)); }, "max_kernel_size",
               "even");
  expect_error([] { LiftingConv(LiftingConvOptions(1, 1, kThreeScales).max_kernel_size(-3)); }, "max_kernel_size",
               "-3");
  expect_error([] { LiftingConv(LiftingConvOptions(1, 1, basis::ScaleGrid(2, 0.5, 1.0)).modes(8)); }, "finest_width",
               "narrow");
  expect_error([] { JointConv(JointConvOptions(1, 1, kThreeScales).scale_taps(0)); }, "L_alpha", "got 0");
  expect_error([] { JointConv(JointConvOptions(1, 1, kThreeScales).scale_taps(2).scale_modes(3)); }, "K_alpha",
               "got 3");
}

}  // namespace
}  // namespace scdcf::nn
