// Messages name the layer that refuses an input and the shape that its user made.
#include "scdcf/nn/input_checks.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "scdcf/nn/enlarge.h"
#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"
#include "scdcf/nn/local_scale_conv.h"
#include "scdcf/nn/norm_relu_pool.h"
#include "scdcf/nn/pointwise_conv.h"
#include "scdcf/nn/residual_block.h"
#include "scdcf/nn/scale_space.h"
#include "support/expect_error.h"

namespace scdcf::nn {
namespace {

using testing::expect_error;

const basis::ScaleGrid kTwoScales(2, 0.5, 3.0);

TEST(Inputs, of_other_channels_are_refused_by_the_layer_that_got_them) {
  expect_error(
      [] {
        LiftingConv(LiftingConvOptions(1, 2, kTwoScales))(torch::zeros({1, 3, 9, 8}));
      },
      "LiftingConv: input: got 3 channels (dimension 1 of [1, 3, 9, 8]), expected 1");
  expect_error(
      [] {
        JointConv(JointConvOptions(1, 2, kTwoScales))(torch::zeros({1, 3, 2, 9, 8}));
      },
      "JointConv: input: got 3 channels (dimension 1 of [1, 3, 2, 9, 8]), expected 1");
  expect_error(
      [] {
        PointwiseConv(PointwiseConvOptions(1, 2))(torch::zeros({1, 3, 2, 9, 8}));
      },
      "PointwiseConv: input: got 3 channels (dimension 1 of [1, 3, 2, 9, 8]), expected 1");
  expect_error(
      [] {
        NormReluPool(NormReluPoolOptions(4))(torch::zeros({1, 5, 2, 9, 8}));
      },
      "NormReluPool: input: got 5 channels (dimension 1 of [1, 5, 2, 9, 8]), expected 4");
  expect_error(
      [] {
        ResidualBlock(ResidualBlockOptions(JointConvOptions(4, 4, kTwoScales)))(torch::zeros({1, 5, 2, 9, 8}));
      },
      "ResidualBlock: input: got 5 channels (dimension 1 of [1, 5, 2, 9, 8]), expected 4");
}

TEST(Inputs, smaller_than_the_filters_or_of_another_type_are_refused_by_the_layer_that_got_them) {
  const auto unpadded = SpatialPadding::none;
  expect_error(
      [&] {
        LiftingConv(LiftingConvOptions(1, 2, kTwoScales).padding(unpadded))(torch::zeros({1, 1, 2, 8}));
      },
      "LiftingConv: input: got 2 x 8 pixels");
  expect_error(
      [] {
        LiftingConv(LiftingConvOptions(1, 2, kTwoScales))(torch::zeros({1, 1, 9, 8}, torch::kDouble));
      },
      "LiftingConv: input: got type Double, expected the coefficients' type Float");
  expect_error(
      [] {
        JointConv(JointConvOptions(1, 2, kTwoScales))(torch::zeros({1, 1, 2, 9, 8}, torch::kDouble));
      },
      "JointConv: input: got type Double");
}

TEST(Inputs, of_whole_numbers_are_refused_with_what_to_do) {
  for (const auto type : {torch::kByte, torch::kLong, torch::kBool}) {
    const auto images = torch::ones({1, 1, 9, 8}, type);
    const char* what_to_do = "images.to(torch::kFloat) / 255";
    expect_error([&] { Enlarge(EnlargeOptions(2))(images); }, "Enlarge: input: got type", what_to_do);
    expect_error([&] { ScaleSpaceLifting(3)(images); }, "ScaleSpaceLifting: input: got type", what_to_do);
    expect_error([&] { LiftingConv(LiftingConvOptions(1, 2, kTwoScales))(images); }, "LiftingConv: input: got type");
    expect_error([&] { LocalScaleConv(MultiScaleConvOptions(1, 2))(images); }, "LocalScaleConv: input: got type");
  }
}

TEST(Options, without_channels_are_refused_by_the_layer_that_got_them) {
  expect_error([] { LiftingConv(LiftingConvOptions(0, 1, kTwoScales)); }, "LiftingConv: in_channels: got 0");
  expect_error([] { JointConv(JointConvOptions(1, 0, kTwoScales)); }, "JointConv: out_channels: got 0");
  expect_error([] { PointwiseConv(PointwiseConvOptions(0, 1)); }, "PointwiseConv: in_channels: got 0");
  expect_error([] { JointConv(JointConvOptions(1, 1, kTwoScales).stride(3)); }, "JointConv: stride: got 3");
}

TEST(Options, with_an_even_number_of_centred_taps_are_refused) {
  expect_error([] { JointConv(JointConvOptions(1, 1, kTwoScales).scale_taps(2).support(ScaleSupport::centred)); },
               "JointConv: scale_taps: got 2", "odd");
  expect_error([] { PointwiseConv(PointwiseConvOptions(1, 1).scale_taps(4).support(ScaleSupport::centred)); },
               "PointwiseConv: scale_taps: got 4", "odd");
}

}  // namespace
}  // namespace scdcf::nn
