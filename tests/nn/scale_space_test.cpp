// DSS: exactly equivariant to shrinking by two, on scale-spaces.
#include "scdcf/nn/scale_space.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "support/device.h"
#include "support/expect_error.h"
#include "support/layers.h"
#include "support/patterns.h"

namespace scdcf::nn {
namespace {

TEST(ScaleSpace, discrete_gaussians_follow_each_other_exactly) {
  const int64_t radius = 40;
  const auto kernel = [&](double t) { return torch::tensor(discrete_gaussian(t, radius), torch::kDouble); };
  const auto both = torch::conv1d(kernel(0.7).view({1, 1, -1}), kernel(2.5).view({1, 1, -1}), {}, 1, radius);
  EXPECT_LT(testing::relative_error(both.flatten(), kernel(3.2)), 1e-12);
  const auto n = torch::arange(-radius, radius + 1, torch::kDouble);
  EXPECT_NEAR(kernel(9).sum().item<double>(), 1, 1e-12);
  EXPECT_NEAR((kernel(9) * n.square()).sum().item<double>(), 9, 1e-9);
}

TEST(ScaleSpace, layers_are_exactly_equivariant_to_a_factor_of_two_on_a_scale_space) {
  torch::manual_seed(9);
  torch::nn::Sequential net(DilatedScaleConv(DilatedScaleConvOptions(2, 3).kernel_size(3).scale_taps(2)),
                            torch::nn::ReLU(),
                            DilatedScaleConv(DilatedScaleConvOptions(3, 2).kernel_size(3).scale_taps(2)));
  testing::to_double(net);
  const auto space = testing::random_tensor({1, 2, 4, 64, 64});
  const auto shrink = [](const torch::Tensor& f) {
    return f.narrow(2, 1, 3).slice(3, 0, f.size(3), 2).slice(4, 0, f.size(4), 2);
  };
  const auto inner = [](const torch::Tensor& f) { return f.narrow(3, 8, 16).narrow(4, 8, 16); };
  const auto expected = inner(shrink(net->forward(space)));
  EXPECT_LT(testing::relative_error(inner(net->forward(shrink(space).contiguous())), expected), 1e-12);
}

TEST(ScaleSpace, lifting_an_image_shrunk_by_two_gives_the_next_level) {
  const torch::NoGradGuard no_grad;
  ScaleSpaceLifting lifting(3);
  // Every second pixel, the middle one among them; smooth enough for the grid of half as many pixels.
  const auto half = [](const torch::Tensor& f) { return f.slice(-2, 0, f.size(-2), 2).slice(-1, 0, f.size(-1), 2); };
  const auto levels = lifting->forward(testing::blobs(97, 2));
  const auto of_shrunk = lifting->forward(half(levels.select(2, 1)));
  for (int64_t k = 0; k < 2; ++k)
    EXPECT_LT(testing::relative_error(of_shrunk.select(2, k), half(levels.select(2, k + 1))), 0.01) << k;
  EXPECT_TRUE(torch::equal(levels.select(2, 0), testing::blobs(97, 2)));
}

TEST(ScaleSpace, layers_have_the_gradients_of_central_differences) {
  testing::expect_layer_gradients(
      DilatedScaleConv(DilatedScaleConvOptions(2, 2).kernel_size(3).scale_taps(2).stride(2).bias(true)),
      {1, 2, 3, 5, 4});
  testing::expect_layer_gradients(ScaleSpaceLifting(3), {1, 2, 5, 4});
}

TEST(ScaleSpace, bad_arguments_are_named) {
  testing::expect_error([] { ScaleSpaceLifting(0); }, "levels", "got 0");
  testing::expect_error([] { DilatedScaleConv(DilatedScaleConvOptions(1, 1).kernel_size(2)); }, "kernel_size", "got 2");
  testing::expect_error(
      [] {
        DilatedScaleConv(DilatedScaleConvOptions(1, 1))->forward(torch::zeros({1, 1, 8, 8}));
      },
      "[N, C, S, H, W]");
}

}  // namespace
}  // namespace scdcf::nn
