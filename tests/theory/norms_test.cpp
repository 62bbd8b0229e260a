#include "scdcf/theory/norms.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "scdcf/theory/group_action.h"
#include "support/device.h"
#include "support/expect_error.h"

namespace scdcf::theory {
namespace {

TEST(Norms, average_over_channels_sum_over_pixels_and_take_the_largest_scale) {
  auto image = torch::zeros({1, 2, 3, 3}, testing::on_device(torch::kDouble));
  image[0][0][1][1] = 3;
  image[0][1][0][2] = 4;
  EXPECT_NEAR(image_norm(image).item<double>(), std::sqrt((9.0 + 16.0) / 2), 1e-12);
  auto features = torch::zeros({1, 2, 2, 3, 3}, testing::on_device(torch::kDouble));
  features[0][0][0][1][1] = 3;
  features[0][1][1][1][1] = 5;
  EXPECT_NEAR(feature_norm(features).item<double>(), std::sqrt(25.0 / 2), 1e-12);
}

TEST(Norms, scale_by_2_to_the_beta_under_the_group) {
  // eq. (isometry): ||D_beta x|| = 2^beta ||x||.
  const auto axis = torch::arange(64, torch::kDouble) - 31.5;
  const auto blob = torch::exp(-(axis.square().view({-1, 1}) + axis.square().view({1, -1})) / 50).to(testing::device());
  const auto image = blob.view({1, 1, 64, 64});
  const double ratio = (image_norm(act_on_image(image, {0.5, 1, -2})) / image_norm(image)).item<double>();
  EXPECT_NEAR(ratio, std::exp2(0.5), 1e-3);
  const double gradients = (gradient_norm(act_on_image(image, {0.5, 0, 0})) / gradient_norm(image)).item<double>();
  EXPECT_NEAR(gradients, 1, 1e-2);  // in the plane the norm of the gradient does not depend on scale
}

TEST(Norms, of_a_known_gradient) {
  // Gaussian exp(-r^2/(2 s^2)): the integral of |grad|^2 is pi.
  const auto axis = torch::arange(80, torch::kDouble) - 39.5;
  const auto blob =
      torch::exp(-(axis.square().view({-1, 1}) + axis.square().view({1, -1})) / (2 * 64)).to(testing::device());
  EXPECT_NEAR(gradient_norm(blob.view({1, 1, 80, 80})).item<double>(), std::sqrt(3.14159265), 1e-2);
}

TEST(Norms, wrong_shapes_are_named) {
  testing::expect_error([] { image_norm(torch::zeros({1, 1, 1, 2, 2})); }, "[N, C, H, W]");
  testing::expect_error([] { feature_norm(torch::zeros({1, 1, 2, 2})); }, "[N, C, S, H, W]");
  testing::expect_error([] { gradient_norm(torch::zeros({2, 2})); }, "[N, C, H, W]");
}

}  // namespace
}  // namespace scdcf::theory
