// SESN: its basis, and how far from equivariance it is beside the CNN and ScDCFNet.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numeric>

#include "models/patterns.h"
#include "scdcf/basis/sampled_basis.h"
#include "scdcf/models/registry.h"
#include "scdcf/theory/equivariance.h"
#include "support/expect_error.h"

namespace scdcf::models {
namespace {

TEST(Sesn, the_basis_is_hermite_gauss_at_sigma_and_its_fractions) {
  const auto basis = basis::make_spatial_basis("sesn-28", 49);
  ASSERT_TRUE(basis->is_separable());
  const double y = 0.2, x = -0.35;
  for (const int width : {0, 1, 2, 3}) {
    const double sigma = 4.5 / 6.5 / std::pow(1.5, width), u = y / sigma, v = x / sigma;
    const double bell = std::exp(-(u * u + v * v) / 2);
    EXPECT_NEAR(basis->value(15 * width, y, x), bell, 1e-12);
    EXPECT_NEAR(basis->value(15 * width + 3, y, x), u * v * bell, 1e-12);
    EXPECT_EQ(basis->mode(15 * width + 3).eigenvalue, 2);
  }
  for (int k = 0; k < 49; ++k) EXPECT_LE(basis->mode(k).eigenvalue, 4);
}

TEST(Sesn, filters_have_the_published_sigmas_and_kernel_sizes) {
  struct Case {
    const char* basis;
    int count;
    double step, finest;
    std::vector<double> sigmas;
    std::vector<int> sizes;
  };
  const Case cases[] = {{"sesn-28", 3, std::log2(3.0) / 2, 13.0 / 3, {1.5, 2.6, 4.5}, {5, 7, 13}},
                        {"sesn-56", 4, 1.0 / 3, 7.5, {2, 2.52, 3.17, 4}, {7, 9, 11, 15}}};
  for (const auto& c : cases) {
    const auto sampled = basis::sample_basis(basis::make_spatial_basis(c.basis, 49),
                                             basis::ScaleGrid(c.count, c.step, c.finest), basis::Sampling::point);
    for (size_t s = 0; s < c.sizes.size(); ++s) {
      const auto& scale = sampled.scales[s];
      const auto row = [&](int x) { return scale.rows[static_cast<size_t>(x + scale.radius)]; };
      EXPECT_NEAR(std::sqrt(-0.5 / std::log(row(1) / row(0))), c.sigmas[s], 0.01) << c.basis << " " << s;
      int size = 0;
      for (int x = -scale.radius; x <= scale.radius; ++x) size += row(x) != 0;
      EXPECT_EQ(size, c.sizes[s]) << c.basis << " " << s;
    }
  }
}

/// Mean relative error over the scales that both sides know, after block 2; a few random networks.
double error_of(const std::string& name, double beta, int taps, const std::string& scale_padding = "") {
  const torch::NoGradGuard no_grad;
  double sum = 0;
  constexpr int kNets = 3;
  for (int seed = 0; seed < kNets; ++seed) {
    torch::manual_seed(static_cast<uint64_t>(seed));
    ModelOptions options;
    options.name = name;
    options.image_size = 56;
    options.channels = {8, 8, 8};
    options.scale_taps = taps;
    options.scale_padding = scale_padding;
    const auto network = make_model(options);
    network->to(testing::device());
    network->to(torch::kDouble);
    network->eval();
    const theory::GroupElement g{beta, 0, 0};
    const auto original = network->features(testing::blobs(56))[1].maps;
    const auto larger = network->features(theory::act_on_image(testing::blobs(56), g))[1].maps;
    if (original.dim() == 4) {
      sum += testing::relative_error(larger, theory::act_on_image(original, g)) / kNets;
    } else {
      const auto errors = theory::equivariance_error(larger, original, g, network->scale_step());
      sum += std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size()) / kNets;
    }
  }
  return sum;
}

TEST(Sesn, is_nearer_to_equivariance_than_the_cnn_until_zeros_leak_in_from_beyond_the_scales) {
  const double cnn = error_of("cnn", 1.0 / 3, 0), one_tap = error_of("sesn", 1.0 / 3, 1),
               sesn = error_of("sesn", 1.0 / 3, 3), sesn_replicate = error_of("sesn", 1.0 / 3, 3, "replicate"),
               scdcfnet = error_of("scdcfnet", 0.25, 3), scdcfnet_zero = error_of("scdcfnet", 0.25, 3, "zero");
  std::printf("error after block 2: cnn %.3f, sesn with one tap %.3f, with three %.3f (replicate %.3f),\n", cnn,
              one_tap, sesn, sesn_replicate);
  std::printf("                     scdcfnet with three %.3f (zero %.3f)\n", scdcfnet, scdcfnet_zero);
  EXPECT_LT(one_tap, cnn);
  EXPECT_LT(one_tap, sesn);
  EXPECT_LT(sesn_replicate, sesn);
  EXPECT_LT(scdcfnet, sesn);
  EXPECT_LT(scdcfnet, scdcfnet_zero);
}

TEST(Sesn, has_as_many_channels_as_the_budget_allows) {
  ModelOptions options;
  options.name = "sesn";
  options.scale_taps = 1;
  EXPECT_EQ(resolve(options).channels, (std::vector<int64_t>{32, 63, 95}));
  EXPECT_EQ(parameter_count(*make_model(options)), 494549);
  options.scale_taps = 3;
  EXPECT_LT(resolve(options).channels[1], 40);
}

}  // namespace
}  // namespace scdcf::models
