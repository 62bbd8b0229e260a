#include "scdcf/nn/local_scale_conv.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "support/device.h"
#include "support/expect_error.h"
#include "support/layers.h"
#include "support/patterns.h"
#include "support/resize.h"

namespace scdcf::nn {
namespace {

TEST(LocalScaleConv, keeps_the_maximum_over_the_resized_inputs) {
  auto layer = testing::double_layer<LocalScaleConv>(2, MultiScaleConvOptions(2, 3).kernel_size(5).scales(3).step(0.5));
  const auto x = testing::random_tensor({2, 2, 12, 11});
  auto expected = torch::full({2, 3, 12, 11}, -1e9, testing::on_device(torch::kDouble));
  for (const double factor : {std::sqrt(0.5), 1.0, std::sqrt(2.0)}) {
    const auto seen = testing::resize_to(x, std::lround(12 * factor), std::lround(11 * factor));
    const auto response = torch::conv2d(seen, layer->conv->weight, layer->conv->bias, 1, 2);
    expected = torch::maximum(expected, testing::resize_to(response, 12, 11));
  }
  EXPECT_LT(testing::relative_error(layer->forward(x), expected), 1e-12);
}

TEST(LocalScaleConv, sees_small_and_large_copies_of_a_pattern_alike_in_one_image) {
  auto layer = testing::double_layer<LocalScaleConv>(2, MultiScaleConvOptions(1, 1).scales(7).step(0.5).bias(false));
  const torch::NoGradGuard no_grad;
  layer->conv->weight.copy_(testing::blob(7, 1.0) - testing::blob(7, 1.0).mean());
  const auto image = testing::blob(96, 1.5, -20.5, -20.5) + testing::blob(96, 3.0, 19.5, 19.5);
  const auto at_small = [](const torch::Tensor& maps) { return maps[0][0][27][27].item<double>(); };
  const auto at_large = [](const torch::Tensor& maps) { return maps[0][0][67][67].item<double>(); };
  const auto invariant = layer->forward(image), plain = torch::conv2d(image, layer->conv->weight, {}, 1, 3);
  EXPECT_NEAR(at_small(invariant) / at_large(invariant), 1, 0.15);
  EXPECT_GT(at_small(plain) / at_large(plain), 1.5);
}

TEST(LocalScaleConv, strides_keep_every_second_pixel) {
  const auto options = MultiScaleConvOptions(1, 2).kernel_size(3).scales(3);
  auto dense = testing::double_layer<LocalScaleConv>(2, options),
       strided = testing::double_layer<LocalScaleConv>(2, MultiScaleConvOptions(options).stride(2));
  const auto x = testing::random_tensor({1, 1, 9, 8});
  const auto expected = dense->forward(x).slice(2, 0, 9, 2).slice(3, 0, 8, 2);
  EXPECT_LT(testing::relative_error(strided->forward(x), expected), 1e-12);
}

TEST(LocalScaleConv, has_the_gradients_of_central_differences) {
  testing::expect_layer_gradients(LocalScaleConv(MultiScaleConvOptions(2, 2).kernel_size(3).scales(3)), {1, 2, 5, 4});
}

TEST(LocalScaleConv, bad_arguments_are_named) {
  testing::expect_error([] { LocalScaleConv(MultiScaleConvOptions(1, 1).kernel_size(4)); }, "kernel_size", "got 4");
  testing::expect_error([] { LocalScaleConv(MultiScaleConvOptions(1, 1).scales(0)); }, "count", "got 0");
  testing::expect_error(
      [] {
        LocalScaleConv(MultiScaleConvOptions(2, 1))->forward(torch::zeros({1, 1, 8, 8}));
      },
      "got 1 channels", "expected 2");
}

}  // namespace
}  // namespace scdcf::nn
