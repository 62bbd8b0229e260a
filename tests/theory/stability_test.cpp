#include "scdcf/theory/stability.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "scdcf/theory/norms.h"
#include "support/device.h"
#include "support/expect_error.h"

namespace scdcf::theory {
namespace {

const basis::ScaleGrid kGrid(3, 0.5, 5.0);

TEST(Stability, lifting_constant_by_hand) {
  // One channel in and out, only mode 1: A_1 = pi sqrt(mu_1) |a_paper| with mu_1 = pi^2/2 and a_paper = h^2/norm.
  nn::LiftingConv layer(nn::LiftingConvOptions(1, 1, kGrid).modes(3).bias(false));
  const torch::NoGradGuard no_grad;
  layer->coefficients.zero_();
  layer->coefficients[0][0][0][0] = 2;
  const double pi = 3.14159265358979323846;
  const double paper = 2 * 2.5 * 2.5 / layer->expansion().filters().sampled().norms[0];
  EXPECT_NEAR(stability_constant(*layer), pi * std::sqrt(pi * pi / 2) * paper, 1e-5);
}

TEST(Stability, the_paper_coefficients_rebuild_the_filter) {
  // psi_k orthonormal on [-1,1]^2: the filter at scale 0, integrated over pixel (0,0), must be a(k)/h^2 times the
  // integral.
  nn::LiftingConv layer(nn::LiftingConvOptions(1, 1, kGrid).modes(1).bias(false));
  const double a = layer->expansion().paper_coefficients(layer->coefficients).item<double>();
  const auto& sampled = layer->expansion().filters().sampled();
  const double half = 2.5;
  const double pixel = a * sampled.basis->integral(0, -0.5 / half, 0.5 / half, -0.5 / half, 0.5 / half);
  const auto filter = layer->expansion().filters().filters(torch::kDouble)[0];
  EXPECT_NEAR(pixel, layer->coefficients.item<double>() * filter[0][2][2].item<double>(), 1e-7);
}

TEST(Stability, bounds_the_l1_norm_of_every_filter) {
  // Lemma 2: B <= A_l. With area sampling the discrete L1 norm is below the continuous one.
  torch::manual_seed(1);
  nn::LiftingConv layer(nn::LiftingConvOptions(3, 4, kGrid).modes(12).bias(false));
  const double constant = stability_constant(*layer);
  for (const auto& basis : layer->expansion().filters().filters(torch::kFloat)) {
    const auto filters = torch::einsum("ock,kyx->ocyx", {layer->coefficients.squeeze(2), basis});
    const auto l1 = filters.abs().sum({2, 3});
    EXPECT_LE(l1.sum(1).max().item<double>(), constant);
    EXPECT_LE(3.0 / 4 * l1.sum(0).max().item<double>(), constant);
  }
}

TEST(Stability, joint_constant_uses_both_sums) {
  torch::manual_seed(2);
  nn::JointConv layer(nn::JointConvOptions(2, 5, kGrid).modes(4).scale_taps(3).scale_modes(2).bias(false));
  const auto paper = layer->expansion().paper_coefficients(layer->coefficients.detach());
  double rows = 0, columns = 0;
  const auto norm = [&](int64_t o, int64_t c, int64_t m) {
    double sum = 0;
    for (int64_t k = 0; k < 4; ++k)
      sum += std::pow(paper[o][c][m][k].item<double>(), 2) * layer->expansion().eigenvalues()[k].item<double>();
    return std::sqrt(sum);
  };
  for (int64_t o = 0; o < 5; ++o) {
    double sum = 0;
    for (int64_t c = 0; c < 2; ++c)
      for (int64_t m = 0; m < 2; ++m) sum += norm(o, c, m);
    rows = std::max(rows, sum);
  }
  for (int64_t m = 0; m < 2; ++m) {
    double largest = 0;
    for (int64_t c = 0; c < 2; ++c) {
      double sum = 0;
      for (int64_t o = 0; o < 5; ++o) sum += norm(o, c, m);
      largest = std::max(largest, sum);
    }
    columns += largest;
  }
  EXPECT_NEAR(stability_constant(*layer), 3.14159265358979 * std::max(rows, 2 * 2.0 / 5 * columns), 1e-6);
}

TEST(Stability, projection_reaches_the_limit_and_leaves_stable_layers_alone) {
  torch::manual_seed(3);
  nn::JointConv layer(nn::JointConvOptions(2, 2, kGrid).modes(4).bias(false));
  EXPECT_LT(project_to_stable(*layer), 1);
  EXPECT_NEAR(stability_constant(*layer), 1, 1e-5);
  const auto before = layer->coefficients.detach().clone();
  EXPECT_EQ(project_to_stable(*layer, 2.0), 1);
  EXPECT_TRUE(torch::equal(before, layer->coefficients));
}

TEST(Stability, projected_layers_do_not_expand_distances) {
  // Proposition 2(a), at its tightest: positive first modes, inputs that differ by a constant.
  torch::manual_seed(4);
  const torch::NoGradGuard no_grad;
  nn::JointConv layer(nn::JointConvOptions(3, 3, kGrid).modes(6).scale_taps(2));
  layer->to(testing::device());
  layer->coefficients.select(3, 0).select(2, 0).fill_(1);
  project_to_stable(*layer);
  double largest = 0;
  for (const double offset : {0.0, 3.0}) {
    const auto one = torch::randn({8, 3, 3, 20, 20}, testing::on_device(torch::kFloat));
    const auto two = torch::randn({8, 3, 3, 20, 20}, testing::on_device(torch::kFloat)) + offset;
    const auto ratio = feature_norm(torch::relu(layer(one)) - torch::relu(layer(two))) / feature_norm(one - two);
    largest = std::max(largest, ratio.max().item<double>());
  }
  EXPECT_LE(largest, 1);
  EXPECT_GT(largest, 0.02);  // the bound is not met trivially by features that have vanished
}

TEST(Stability, needs_a_dirichlet_basis) {
  nn::LiftingConv layer(nn::LiftingConvOptions(1, 1, kGrid).basis("hermite-gauss").modes(3));
  testing::expect_error([&] { stability_constant(*layer); }, "hermite-gauss", "Dirichlet");
  nn::LiftingConv sine(nn::LiftingConvOptions(1, 1, kGrid).modes(3));
  testing::expect_error([&] { project_to_stable(*sine, 0); }, "limit", "got 0");
}

}  // namespace
}  // namespace scdcf::theory
