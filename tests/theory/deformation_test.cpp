#include "scdcf/theory/deformation.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "support/device.h"
#include "support/expect_error.h"

namespace scdcf::theory {
namespace {

/// The largest operator norm of the Jacobian, from finite differences of the field itself.
double measured_gradient(const Deformation& field) {
  const auto t = field.tau;
  const auto dy = (t.slice(1, 2) - t.slice(1, 0, -2)).slice(2, 1, -1) / 2;
  const auto dx = (t.slice(2, 2) - t.slice(2, 0, -2)).slice(1, 1, -1) / 2;
  double largest = 0;
  for (int64_t i = 0; i < dy.size(1); ++i)
    for (int64_t j = 0; j < dy.size(2); ++j) {
      const auto jacobian = torch::stack({dy.select(1, i).select(1, j), dx.select(1, i).select(1, j)}, 1);
      largest = std::max(largest, torch::linalg_svdvals(jacobian).max().item<double>());
    }
  return largest;
}

TEST(Deformation, has_the_requested_gradient) {
  for (const double requested : {0.02, 0.1, 0.19}) {
    const auto field = random_deformation(40, 36, requested, 5, 30);
    EXPECT_DOUBLE_EQ(field.gradient_sup, requested);
    EXPECT_NEAR(measured_gradient(field), requested, 0.03 * requested);
    EXPECT_GE(field.sup * (1 + 1e-9), field.tau.square().sum(0).sqrt().max().item<double>());
  }
}

TEST(Deformation, depends_on_its_seed_alone) {
  EXPECT_TRUE(torch::equal(random_deformation(8, 9, 0.1, 1, 10).tau, random_deformation(8, 9, 0.1, 1, 10).tau));
  EXPECT_FALSE(torch::equal(random_deformation(8, 9, 0.1, 1, 10).tau, random_deformation(8, 9, 0.1, 2, 10).tau));
}

TEST(Deformation, moves_a_linear_image_by_tau) {
  // x(u) = y gives D_tau x = y - tau_y inside.
  auto field = random_deformation(32, 32, 0.1, 3, 24);
  const auto image = torch::arange(32, torch::kDouble).view({1, 1, -1, 1}).expand({1, 1, 32, 32}).to(testing::device());
  const auto inner = [](const torch::Tensor& t) { return t.slice(-2, 6, 26).slice(-1, 6, 26); };
  const auto difference = deform(image, field) - (image - field.tau[0].to(testing::device()));
  EXPECT_LT(inner(difference).abs().max().item<double>(), 1e-9);
}

TEST(Deformation, treats_all_scales_and_channels_alike) {
  const auto field = random_deformation(12, 10, 0.15, 4, 8);
  const auto x = torch::randn({2, 3, 4, 12, 10}, testing::on_device(torch::kDouble));
  const auto moved = deform(x, field);
  EXPECT_TRUE(torch::allclose(moved.select(2, 2), deform(x.select(2, 2), field)));
}

TEST(Deformation, with_zero_gradient_is_the_identity) {
  const auto x = torch::randn({1, 1, 6, 6}, testing::on_device(torch::kDouble));
  EXPECT_TRUE(torch::allclose(deform(x, random_deformation(6, 6, 0, 1, 4)), x));
}

TEST(Deformation, bad_arguments_are_named) {
  testing::expect_error([] { random_deformation(0, 4, 0.1, 1, 8); }, "0 x 4");
  testing::expect_error([] { random_deformation(4, 4, 1.0, 1, 8); }, "grad tau", "got 1");
  testing::expect_error([] { random_deformation(4, 4, -0.1, 1, 8); }, "grad tau", "got -0.1");
  testing::expect_error([] { random_deformation(4, 4, 0.1, 1, 1); }, "wavelength", "got 1");
  testing::expect_error(
      [] {
        deform(torch::zeros({1, 1, 5, 4}), random_deformation(4, 4, 0.1, 1, 8));
      },
      "5 x 4", "4 x 4");
  testing::expect_error([] { deform(torch::zeros({5, 4}), random_deformation(5, 4, 0.1, 1, 8)); }, "[N, C, H, W]");
}

}  // namespace
}  // namespace scdcf::theory
