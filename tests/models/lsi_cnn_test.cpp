// LSI-CNN: the same response wherever a pattern lies and however large it is there.
#include <gtest/gtest.h>

#include "models/patterns.h"
#include "scdcf/nn/local_scale_conv.h"
#include "scdcf/nn/resize.h"
#include "support/expect_error.h"
#include "support/gradcheck.h"

namespace scdcf::nn {
namespace {

LocalScaleConv local_scale_conv(const MultiScaleConvOptions& options) {
  torch::manual_seed(2);
  LocalScaleConv layer(options);
  layer->to(testing::device());
  layer->to(torch::kDouble);
  return layer;
}

TEST(LsiCnn, keeps_the_maximum_over_the_resized_inputs) {
  auto layer = local_scale_conv(MultiScaleConvOptions(2, 3).kernel_size(5).scales(3).step(0.5));
  const auto x = torch::randn({2, 2, 12, 11}, testing::on_device(torch::kDouble));
  auto expected = torch::full({2, 3, 12, 11}, -1e9, testing::on_device(torch::kDouble));
  for (const double factor : {std::sqrt(0.5), 1.0, std::sqrt(2.0)}) {
    const auto seen = resize_to(x, std::lround(12 * factor), std::lround(11 * factor));
    const auto response = torch::conv2d(seen, layer->conv->weight, layer->conv->bias, 1, 2);
    expected = torch::maximum(expected, resize_to(response, 12, 11));
  }
  EXPECT_LT(testing::relative_error(layer->forward(x), expected), 1e-12);
}

TEST(LsiCnn, matrices_equal_resizing_convolving_and_resizing_back) {
  torch::manual_seed(4);
  const std::vector<double> factors = {0.1, 0.3, 0.71, 1, 1.26, 3.33};
  // Few and many input channels: the pass along y lies before or behind the mix.
  for (const auto& [in, out] : {std::pair<int64_t, int64_t>{1, 6}, {4, 3}})
    for (const int64_t stride : {1, 2})
      for (const auto& [height, width] : {std::pair<int64_t, int64_t>{9, 14}, {7, 1}}) {
        const MultiScaleConvolution convolution(factors, 5, stride);
        const auto on_device = testing::on_device(torch::kDouble);
        const auto x = torch::randn({2, in, height, width}, on_device), bias = torch::randn({out}, on_device);
        std::vector<torch::Tensor> weights;
        for (size_t i = 0; i < factors.size(); ++i) weights.push_back(torch::randn({out, in, 5, 5}, on_device));
        const auto all = convolution(x, weights, bias);
        for (size_t i = 0; i < factors.size(); ++i) {
          const auto expected =
              convolve_resized(x, weights[i], bias, factors[i]).slice(2, 0, height, stride).slice(3, 0, width, stride);
          EXPECT_LT(testing::relative_error(MultiScaleConvolution::to_maps(all[i]), expected), 1e-12)
              << in << " -> " << out << ", factor " << factors[i] << ", stride " << stride << ", width " << width;
        }
      }
}

TEST(LsiCnn, sees_small_and_large_copies_of_a_pattern_alike_in_one_image) {
  auto layer = local_scale_conv(MultiScaleConvOptions(1, 1).scales(7).step(0.5).bias(false));
  const torch::NoGradGuard no_grad;
  layer->conv->weight.copy_(testing::blob(7, 1.0) - testing::blob(7, 1.0).mean());
  const auto image = testing::blob(96, 1.5, -20.5, -20.5) + testing::blob(96, 3.0, 19.5, 19.5);
  const auto at_small = [](const torch::Tensor& maps) { return maps[0][0][27][27].item<double>(); };
  const auto at_large = [](const torch::Tensor& maps) { return maps[0][0][67][67].item<double>(); };
  const auto invariant = layer->forward(image), plain = torch::conv2d(image, layer->conv->weight, {}, 1, 3);
  EXPECT_NEAR(at_small(invariant) / at_large(invariant), 1, 0.15);
  EXPECT_GT(at_small(plain) / at_large(plain), 1.5);
}

TEST(LsiCnn, strides_keep_every_second_pixel) {
  const auto options = MultiScaleConvOptions(1, 2).kernel_size(3).scales(3);
  auto dense = local_scale_conv(options), strided = local_scale_conv(MultiScaleConvOptions(options).stride(2));
  const auto x = torch::randn({1, 1, 9, 8}, testing::on_device(torch::kDouble));
  const auto expected = dense->forward(x).slice(2, 0, 9, 2).slice(3, 0, 8, 2);
  EXPECT_LT(testing::relative_error(strided->forward(x), expected), 1e-12);
}

TEST(LsiCnn, gradients) {
  auto layer = local_scale_conv(MultiScaleConvOptions(2, 2).kernel_size(3).scales(3));
  const MultiScaleConvolution convolution({0.7, 1.4}, 3, 1);
  testing::expect_gradients(
      [&](const auto& in) {
        return convolution(in[0], {in[1], in[1]}, in[2]).amax(0);
      },
      {torch::randn({1, 2, 5, 4}, testing::on_device(torch::kDouble)), layer->conv->weight, layer->conv->bias});
  testing::expect_gradients([&](const auto& in) { return layer->forward(in[0]); },
                            {torch::randn({1, 2, 5, 4}, testing::on_device(torch::kDouble))});
}

TEST(LsiCnn, bad_arguments_are_named) {
  testing::expect_error([] { LocalScaleConv(MultiScaleConvOptions(1, 1).kernel_size(4)); }, "kernel_size", "got 4");
  testing::expect_error([] { LocalScaleConv(MultiScaleConvOptions(1, 1).scales(0)); }, "count", "got 0");
  testing::expect_error(
      [] {
        LocalScaleConv(MultiScaleConvOptions(2, 1))->forward(torch::zeros({1, 1, 8, 8}));
      },
      "[N, 2, H, W]");
}

}  // namespace
}  // namespace scdcf::nn
