#include "scdcf/nn/rescaled_kernel_conv.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "scdcf/theory/equivariance.h"
#include "support/device.h"
#include "support/expect_error.h"
#include "support/layers.h"
#include "support/patterns.h"

namespace scdcf::nn {
namespace {

TEST(RescaledKernelConv, every_column_is_an_ordinary_convolution_with_its_kernel) {
  auto layer =
      testing::double_layer<RescaledKernelConv>(4, MultiScaleConvOptions(2, 3).kernel_size(5).scales(3).step(0.6));
  const KernelRescaling rescaling(5, scale_factors(3, 0.6));
  const auto x = testing::random_tensor({2, 2, 3, 6, 7});
  const auto got = layer->forward(x), of_image = layer->forward(x.select(2, 0));
  for (size_t s = 0; s < 3; ++s) {
    const auto kernel = rescaling(layer->canonical->weight, s);
    const auto plane = static_cast<int64_t>(s);
    const auto column = [&](int64_t from) {
      return torch::conv2d(x.select(2, from), kernel, layer->canonical->bias, 1, kernel.size(2) / 2);
    };
    EXPECT_LT(testing::relative_error(got.select(2, plane), column(plane)), 1e-12);
    EXPECT_LT(testing::relative_error(of_image.select(2, plane), column(0)), 1e-12);
  }
}

TEST(RescaledKernelConv, an_enlarged_image_moves_on_by_one_column) {
  const torch::NoGradGuard no_grad;
  auto layer = testing::double_layer<RescaledKernelConv>(
      4, MultiScaleConvOptions(1, 4).kernel_size(5).scales(3).step(1).bias(false));
  const auto of_original = layer->forward(testing::blobs(97)), of_larger = layer->forward(testing::blobs(97, 2));
  const auto errors = theory::equivariance_error(of_larger, of_original, {1, 0, 0}, 1);
  EXPECT_LT(errors[1], 0.15);
  EXPECT_LT(errors[2], 0.1);
  const auto same_column = theory::act_on_image(of_original.select(2, 1), {1, 0, 0});
  EXPECT_GT(testing::relative_error(of_larger.select(2, 1), same_column), 3 * errors[2]);
}

TEST(RescaledKernelConv, kernels_beyond_the_map_are_cropped_without_a_difference) {
  auto layer = testing::double_layer<RescaledKernelConv>(4, MultiScaleConvOptions(1, 1).scales(7).step(0.579));
  const auto x = testing::random_tensor({1, 1, 4, 4});
  const auto canvas = torch::constant_pad_nd(x, {20, 20, 20, 20});
  EXPECT_LT(testing::relative_error(layer->forward(x), layer->forward(canvas).narrow(3, 20, 4).narrow(4, 20, 4)),
            1e-12);
}

TEST(RescaledKernelConv, has_the_gradients_of_central_differences) {
  testing::expect_layer_gradients(RescaledKernelConv(MultiScaleConvOptions(2, 2).kernel_size(3).scales(2).stride(2)),
                                  {1, 2, 2, 5, 4});
}

TEST(RescaledKernelConv, bad_arguments_are_named) {
  auto layer = testing::double_layer<RescaledKernelConv>(4, MultiScaleConvOptions(1, 1).scales(3));
  testing::expect_error([&] { layer->forward(torch::zeros({1, 1, 2, 8, 8})); }, "[N, 1, 3, H, W]");
}

}  // namespace
}  // namespace scdcf::nn
