// SI-CNN: columns that differ only in the size of one canonical kernel.
#include <gtest/gtest.h>

#include "models/patterns.h"
#include "scdcf/nn/rescaled_kernel_conv.h"
#include "scdcf/theory/equivariance.h"
#include "support/expect_error.h"
#include "support/gradcheck.h"

namespace scdcf::nn {
namespace {

RescaledKernelConv rescaled_kernel_conv(const MultiScaleConvOptions& options) {
  torch::manual_seed(4);
  RescaledKernelConv layer(options);
  layer->to(testing::device());
  layer->to(torch::kDouble);
  return layer;
}

TEST(SiCnn, a_rescaled_kernel_is_the_canonical_one_stretched_with_its_sum_kept) {
  const auto kernel = torch::randn({2, 3, 7, 7}, testing::on_device(torch::kDouble));
  const KernelRescaling rescaling(7, {0.5, 1, 2, 3});
  EXPECT_TRUE(torch::equal(rescaling(kernel, 1), kernel));
  for (const size_t whole : {2u, 3u}) {
    const int64_t factor = static_cast<int64_t>(whole), radius = rescaling.size(whole) / 2;
    EXPECT_EQ(radius, 4 * factor - 1);
    const auto samples =
        rescaling(kernel, whole).slice(2, radius % factor, {}, factor).slice(3, radius % factor, {}, factor);
    const int64_t border = samples.size(2) / 2 - 3;
    const auto inner = samples.narrow(2, border, 7).narrow(3, border, 7);
    EXPECT_LT(testing::relative_error(inner * static_cast<double>(factor * factor), kernel), 1e-12);
  }
  for (size_t i = 0; i < rescaling.count(); ++i)
    EXPECT_LT(testing::relative_error(rescaling(kernel, i).sum({2, 3}), kernel.sum({2, 3})), 1e-12) << i;
}

TEST(SiCnn, every_column_is_an_ordinary_convolution_with_its_kernel) {
  auto layer = rescaled_kernel_conv(MultiScaleConvOptions(2, 3).kernel_size(5).scales(3).step(0.6));
  const KernelRescaling rescaling(5, scale_factors(3, 0.6));
  const auto x = torch::randn({2, 2, 3, 6, 7}, testing::on_device(torch::kDouble));
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

TEST(SiCnn, an_enlarged_image_moves_on_by_one_column) {
  const torch::NoGradGuard no_grad;
  auto layer = rescaled_kernel_conv(MultiScaleConvOptions(1, 4).kernel_size(5).scales(3).step(1).bias(false));
  const auto of_original = layer->forward(testing::blobs(97)), of_larger = layer->forward(testing::blobs(97, 2));
  const auto errors = theory::equivariance_error(of_larger, of_original, {1, 0, 0}, 1);
  EXPECT_LT(errors[1], 0.15);
  EXPECT_LT(errors[2], 0.1);
  const auto same_column = theory::act_on_image(of_original.select(2, 1), {1, 0, 0});
  EXPECT_GT(testing::relative_error(of_larger.select(2, 1), same_column), 3 * errors[2]);
}

TEST(SiCnn, kernels_beyond_the_map_are_cropped_without_a_difference) {
  auto layer = rescaled_kernel_conv(MultiScaleConvOptions(1, 1).scales(7).step(0.579));
  const auto x = torch::randn({1, 1, 4, 4}, testing::on_device(torch::kDouble));
  const auto canvas = torch::constant_pad_nd(x, {20, 20, 20, 20});
  EXPECT_LT(testing::relative_error(layer->forward(x), layer->forward(canvas).narrow(3, 20, 4).narrow(4, 20, 4)),
            1e-12);
}

TEST(SiCnn, gradients) {
  const KernelRescaling rescaling(3, {0.6, 1.7});
  testing::expect_gradients([&](const auto& in) { return rescaling(in[0], 0).sum() * rescaling(in[0], 1); },
                            {torch::randn({2, 1, 3, 3}, testing::on_device(torch::kDouble))});
  auto layer = rescaled_kernel_conv(MultiScaleConvOptions(2, 2).kernel_size(3).scales(2).stride(2));
  testing::expect_gradients([&](const auto& in) { return layer->forward(in[0]); },
                            {torch::randn({1, 2, 2, 5, 4}, testing::on_device(torch::kDouble))});
}

TEST(SiCnn, bad_arguments_are_named) {
  testing::expect_error([] { KernelRescaling(3, {0.0}); }, "factor", "got 0");
  auto layer = rescaled_kernel_conv(MultiScaleConvOptions(1, 1).scales(3));
  testing::expect_error([&] { layer->forward(torch::zeros({1, 1, 2, 8, 8})); }, "[N, 1, 3, H, W]");
}

}  // namespace
}  // namespace scdcf::nn
