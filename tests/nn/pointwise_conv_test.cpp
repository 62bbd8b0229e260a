#include "scdcf/nn/pointwise_conv.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <sstream>

#include "support/expect_error.h"
#include "support/layers.h"

namespace scdcf::nn {
namespace {

TEST(PointwiseConv, equals_a_matrix_applied_at_every_pixel_and_scale) {
  torch::manual_seed(2);
  PointwiseConv layer(PointwiseConvOptions(3, 4).bias(false));
  testing::to_double(layer);
  const auto x = testing::random_tensor({2, 3, 2, 4, 5});
  EXPECT_TRUE(torch::allclose(layer(x), torch::einsum("ncshw,oc->noshw", {x, layer->coefficients.squeeze(2)})));
}

TEST(PointwiseConv, says_at_a_single_place_what_it_says_there_among_others) {
  for (const bool bias : {true, false}) {
    torch::manual_seed(5);
    PointwiseConv layer(PointwiseConvOptions(3, 4).bias(bias));
    testing::to_double(layer);
    if (bias) torch::nn::init::normal_(layer->bias);
    const auto x = testing::random_tensor({2, 3, 1, 2, 2});
    const auto alone = layer(x.narrow(3, 1, 1).narrow(4, 0, 1));
    EXPECT_TRUE(torch::allclose(alone, layer(x).narrow(3, 1, 1).narrow(4, 0, 1)));
    EXPECT_EQ(alone.dim(), 5);
    testing::expect_layer_gradients(layer, {2, 3, 1, 1, 1});
  }
}

TEST(PointwiseConv, reaches_finer_scales_as_the_joint_convolution_does) {
  torch::manual_seed(3);
  for (const auto padding : {ScalePadding::replicate, ScalePadding::zero})
    for (const auto support : {ScaleSupport::one_sided, ScaleSupport::centred}) {
      PointwiseConv layer(PointwiseConvOptions(1, 1).scale_taps(3).scale_padding(padding).support(support).bias(false));
      testing::to_double(layer);
      const auto x = testing::random_tensor({1, 1, 4, 1, 1});
      const auto out = layer(x).flatten();
      const auto sources = ops::joint_sources(4, 3, support, padding);
      // The response to each tap alone, found by probing a long scale axis far from its ends.
      for (int64_t s = 0; s < 4; ++s) {
        double expected = 0;
        for (const auto& plane : sources[static_cast<size_t>(s)])
          for (const int64_t tap : plane.taps) {
            auto probe = torch::zeros({1, 1, 9, 1, 1}, x.options());
            probe[0][0][4][0][0] = 1;
            const int64_t before = support == ScaleSupport::one_sided ? 2 : 1;
            expected +=
                layer(probe).flatten()[4 - (tap - before)].item<double>() * x.flatten()[plane.plane].item<double>();
          }
        EXPECT_NEAR(out[s].item<double>(), expected, 1e-12);
      }
    }
}

TEST(PointwiseConv, has_the_gradients_of_central_differences) {
  testing::expect_layer_gradients(PointwiseConv(PointwiseConvOptions(2, 3).scale_taps(2).stride(2)), {1, 2, 2, 4, 3});
}

TEST(PointwiseConv, prints_itself_and_names_what_it_refuses) {
  std::ostringstream text;
  text << PointwiseConv(PointwiseConvOptions(2, 3));
  EXPECT_EQ(text.str(), "scdcf::nn::PointwiseConv(2 -> 3)");
  testing::expect_error([] { PointwiseConv(PointwiseConvOptions(1, 1).stride(0)); }, "stride", "got 0");
  testing::expect_error(
      [] {
        PointwiseConv(PointwiseConvOptions(2, 2))->forward(torch::randn({1, 3, 3, 5, 5}));
      },
      "PointwiseConv", "got 3 channels", "expected 2");
}

}  // namespace
}  // namespace scdcf::nn
