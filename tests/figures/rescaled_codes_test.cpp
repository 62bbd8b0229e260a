#include "scdcf/figures/rescaled_codes.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

namespace scdcf::figures {
namespace {

class RescaledCodes : public ::testing::TestWithParam<const char*> {
 protected:
  RescaledCodes() : network({GetParam(), /*modes=*/5, /*image_size=*/56}) {
    network.forward(torch::rand({4, 1, 56, 56}));
    network.eval();
    images.narrow(2, 20, 16).narrow(3, 20, 16).fill_(1);
  }
  torch::NoGradGuard no_grad;
  models::AutoEncoder network;
  torch::Tensor images = torch::zeros({2, 1, 56, 56});
};

TEST_P(RescaledCodes, of_factor_one_are_the_codes) {
  const auto code = network.encode(images);
  EXPECT_LT(relative_errors(rescaled_code(network, images, 0), code).max().item<double>(), 1e-5);
  const auto distances = code_distances(network, images, 0);
  EXPECT_LT(distances[0].item<double>(), 1e-8 * distances[1].item<double>());
}

TEST_P(RescaledCodes, of_a_black_image_are_its_code_at_every_factor) {
  const auto black = torch::zeros_like(images);
  for (const double beta : {-0.5, 0.5})
    EXPECT_LT(relative_errors(rescaled_code(network, black, beta), network.encode(black)).max().item<double>(), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(AutoEncoders, RescaledCodes, ::testing::Values("cnn-autoencoder", "scdcf-autoencoder"),
                         [](const auto& info) { return info.param[0] == 'c' ? "cnn" : "scdcf"; });

TEST(RescaledImagesTest, cover_an_area_that_grows_with_the_square_of_the_factor) {
  const auto bump = torch::exp(-(torch::arange(57) - 28).square() / 50.0);
  const auto images = torch::outer(bump, bump).view({1, 1, 57, 57});
  const double before = images.sum().item<double>();
  for (const double beta : {-1.0, -0.5, 0.5, 1.0})
    EXPECT_NEAR(std::log2(rescaled_images(images, beta).sum().item<double>() / before), 2 * beta, 0.02) << beta;
}

TEST(RelativeErrorsTest, are_those_of_each_image) {
  const auto expected = torch::rand({3, 1, 4, 4}) + 0.1;
  const auto errors = relative_errors(expected * torch::tensor({1.0, 2.0, 0.5}).view({3, 1, 1, 1}), expected);
  EXPECT_TRUE(torch::allclose(errors, torch::tensor({0.0, 1.0, 0.5})));
}

TEST(ThresholdedTest, forgets_contrast) {
  const auto images = torch::rand({2, 1, 8, 8});
  const auto binary = thresholded(images);
  EXPECT_TRUE(torch::equal(binary, binary.square()));
  EXPECT_TRUE(torch::equal(binary, thresholded(images * torch::tensor({0.1, 4.0}).view({2, 1, 1, 1}))));
}

}  // namespace
}  // namespace scdcf::figures
