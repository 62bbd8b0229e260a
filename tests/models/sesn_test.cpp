// SESN: how far from equivariance it is beside the CNN and ScDCFNet.
#include <gtest/gtest.h>

#include <cstdio>
#include <numeric>

#include "scdcf/models/registry.h"
#include "scdcf/theory/equivariance.h"
#include "support/patterns.h"

namespace scdcf::models {
namespace {

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

}  // namespace
}  // namespace scdcf::models
