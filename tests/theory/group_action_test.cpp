#include "scdcf/theory/group_action.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <limits>

#include "support/device.h"
#include "support/expect_error.h"
#include "support/gradcheck.h"

namespace scdcf::theory {
namespace {

/// exp(-|u - centre|^2 / (2 sigma^2)) on a square of pixels, coordinates from the centre of the image.
torch::Tensor blob(int64_t size, double y, double x, double sigma) {
  const auto axis = torch::arange(size, torch::kDouble) - (static_cast<double>(size) - 1) / 2;
  const auto rows = (axis - y).square().view({-1, 1}), columns = (axis - x).square().view({1, -1});
  return torch::exp(-(rows + columns) / (2 * sigma * sigma)).to(testing::device());
}

TEST(GroupAction, enlarges_about_the_centre_and_moves_by_v) {
  // D_{beta,v} x(u) = x(2^-beta (u - v)): a blob at p of width sigma becomes one at 2^beta p + v of width 2^beta sigma.
  const double beta = 0.5, scale = std::exp2(beta);
  const auto moved = act_on_image(blob(64, 3, -4, 4), {beta, 2.5, -1.25});
  EXPECT_LT(testing::relative_error(moved, blob(64, 3 * scale + 2.5, -4 * scale - 1.25, 4 * scale)), 2e-3);
}

TEST(GroupAction, bicubic_is_more_accurate_than_bilinear_and_both_are_exact_on_the_identity) {
  const auto image = blob(48, 1, 2, 4);
  const auto expected = blob(48, std::exp2(0.3), 2 * std::exp2(0.3), 4 * std::exp2(0.3));
  const GroupElement g{0.3, 0, 0};
  EXPECT_LT(testing::relative_error(act_on_image(image, g), expected),
            testing::relative_error(act_on_image(image, g, Interpolation::bilinear), expected) / 3);
  EXPECT_TRUE(torch::equal(act_on_image(image, {0, 0, 0}), image));
  EXPECT_TRUE(torch::equal(act_on_image(image, {0, 0, 0}, Interpolation::bilinear), image));
}

TEST(GroupAction, bicubic_reproduces_quadratics_inside) {
  const auto axis = torch::arange(20, torch::kDouble) - 9.5;
  const auto image = (axis.view({-1, 1}).square() + 3 * axis.view({1, -1}) - 2).to(testing::device());
  const auto shrunk = axis / std::exp2(0.4);
  const auto expected = (shrunk.view({-1, 1}).square() + 3 * shrunk.view({1, -1}) - 2).to(testing::device());
  const auto inner = [](const torch::Tensor& t) { return t.slice(0, 2, 18).slice(1, 2, 18); };
  EXPECT_LT((inner(act_on_image(image, {0.4, 0, 0})) - inner(expected)).abs().max().item<double>(), 1e-10);
}

TEST(GroupAction, composes_as_the_group) {
  const GroupElement g{0.3, 1.5, -2}, h{-0.2, -1, 0.75};
  const auto image = blob(64, 2, 1, 5);
  EXPECT_LT(testing::relative_error(act_on_image(act_on_image(image, h), g), act_on_image(image, g * h)), 2e-3);
  const auto unit = g * g.inverse();
  EXPECT_NEAR(unit.beta, 0, 1e-12);
  EXPECT_NEAR(unit.v_y, 0, 1e-12);
  EXPECT_NEAR(unit.v_x, 0, 1e-12);
}

TEST(GroupAction, about_keeps_its_point) {
  const auto g = GroupElement::about(0.5, 3, -2);
  EXPECT_LT(testing::relative_error(act_on_image(blob(64, 3, -2, 3), g), blob(64, 3, -2, 3 * std::exp2(0.5))), 5e-3);
}

TEST(GroupAction, shifts_scales_towards_coarser_and_extends_the_finest) {
  auto x = torch::zeros({1, 1, 4, 3, 3}, testing::on_device(torch::kDouble));
  for (int64_t s = 0; s < 4; ++s) x.select(2, s).fill_(static_cast<double>(s + 1));
  const auto centre = [](const torch::Tensor& t, int64_t s) { return t[0][0][s][1][1].item<double>(); };
  const auto up = act_on_features(x, {0.5, 0, 0}, 0.25);  // two steps
  EXPECT_NEAR(centre(up, 3), 2, 1e-12);
  EXPECT_NEAR(centre(up, 2), 1, 1e-12);
  EXPECT_NEAR(centre(up, 0), 1, 1e-12);
  const auto half = act_on_features(x, {0.125, 0, 0}, 0.25);
  EXPECT_NEAR(centre(half, 2), 2.5, 1e-12);
  const auto down = act_on_features(x, {-0.25, 0, 0}, 0.25);
  EXPECT_NEAR(centre(down, 0), 2, 0.5);  // the 3x3 map itself shrinks; only the scale is of interest
  EXPECT_EQ(common_scales(4, -0.25, 0.25), 3);
  EXPECT_EQ(common_scales(4, -0.3, 0.25), 2);
  EXPECT_EQ(common_scales(4, 0.5, 0.25), 4);
  EXPECT_EQ(common_scales(4, -9, 0.25), 0);
}

TEST(GroupAction, a_shift_by_rounded_steps_lands_on_the_grid) {
  torch::manual_seed(4);
  const GroupElement g{0.1 * 3, 0, 0};  // 0.1 * 3 / 0.1 is not quite 3
  auto x = torch::full({1, 1, 8, 5, 5}, NAN, testing::on_device(torch::kDouble));
  x.select(2, 2).copy_(torch::randn({5, 5}));  // a share of any other plane, however small, gives NaN
  const auto shifted = act_on_features(x, g, 0.1).select(2, 5), expected = act_on_image(x.select(2, 2), g);
  // Each value is a sum of five products of sums of five, whose weights sum to at most 1.25 in magnitude; the order is
  // free.
  const double bound = 2 * 10 * 1.25 * 1.25 * 0x1p-53 * x.select(2, 2).abs().max().item<double>();
  EXPECT_LE((shifted - expected).abs().max().item<double>(), bound);
}

TEST(GroupAction, is_differentiable) {
  torch::manual_seed(1);
  testing::expect_gradients(
      [](const auto& in) {
        return act_on_features(in[0], {0.3, 0.5, -0.25}, 0.25);
      },
      {torch::randn({1, 1, 3, 4, 4}, testing::on_device(torch::kDouble))});
}

TEST(GroupAction, bad_arguments_are_named) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto image = torch::zeros({4, 4});
  testing::expect_error([&] { act_on_image(image, {nan, 0, 0}); }, "beta", "nan");
  testing::expect_error([&] { act_on_image(image, {0, nan, 0}); }, "v", "nan");
  testing::expect_error([&] { act_on_image(torch::zeros({4}), {0, 0, 0}); }, "[H, W]");
  testing::expect_error([&] { act_on_image(torch::zeros({4, 4}, torch::kLong), {0, 0, 0}); }, "floating");
  testing::expect_error([&] { act_on_features(image, {0, 0, 0}, 0.25); }, "[N, C, S, H, W]");
  testing::expect_error([&] { act_on_features(torch::zeros({1, 1, 2, 4, 4}), {0, 0, 0}, 0); }, "step", "got 0");
}

}  // namespace
}  // namespace scdcf::theory
