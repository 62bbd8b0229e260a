#include "scdcf/nn/filter_expansion.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"
#include "support/device.h"

namespace scdcf::nn {
namespace {

/// Mean squares of the pre-activations of a stack of `depth` layers with ReLU between them, without normalisation.
std::vector<double> mean_squares(const basis::ScaleGrid& grid, int modes, int taps, int depth, uint64_t seed) {
  torch::manual_seed(seed);
  const torch::NoGradGuard no_grad;
  constexpr int64_t kChannels = 24;
  const auto images = torch::upsample_bilinear2d(torch::rand({4, 1, 8, 8}), {32, 32}, false).to(testing::device());
  LiftingConv lifting(LiftingConvOptions(1, kChannels, grid).modes(modes));
  lifting->to(testing::device());
  auto x = lifting(images);
  std::vector<double> result{x.square().mean().item<double>()};
  for (int l = 1; l < depth; ++l) {
    JointConv joint(JointConvOptions(kChannels, kChannels, grid).modes(modes).scale_taps(taps));
    joint->to(testing::device());
    x = joint(torch::relu(x));
    result.push_back(x.square().mean().item<double>());
  }
  return result;
}

TEST(InitialCoefficients, keeps_the_mean_square_about_constant_through_twelve_layers) {
  struct Case {
    basis::ScaleGrid grid;
    int modes, taps;
  };
  for (const Case& test : {Case{basis::ScaleGrid(3, 0.5, 6.0), 8, 3}, Case{basis::ScaleGrid(3, 0.5, 5.0), 15, 3},
                           Case{basis::ScaleGrid(3, 0.25, 5.0), 15, 1}, Case{basis::ScaleGrid(2, 0.5, 9.0), 8, 2}}) {
    // Over several draws: one stack of 24 channels varies by itself, and zero padding takes some at the borders.
    double log_gain = 0;
    constexpr int kSeeds = 3, kDepth = 12;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const auto squares = mean_squares(test.grid, test.modes, test.taps, kDepth, seed);
      log_gain += std::log(squares.back() / squares.front()) / (kSeeds * (kDepth - 1));
    }
    EXPECT_LT(std::exp(log_gain), 1.25) << "growth per layer";
    EXPECT_GT(std::exp(log_gain), 0.8) << "growth per layer";
  }
}

TEST(InitialCoefficients, has_the_deviation_that_the_expansion_asks_for) {
  torch::manual_seed(3);
  JointConv layer(JointConvOptions(40, 40, basis::ScaleGrid(2, 0.5, 5.0)).modes(15));
  const double expected = layer->expansion().initial_deviation(40);
  EXPECT_NEAR(layer->coefficients.std().item<double>(), expected, 0.02 * expected);
  EXPECT_EQ(layer->bias.abs().sum().item<float>(), 0);
}

}  // namespace
}  // namespace scdcf::nn
