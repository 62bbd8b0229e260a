#include "scdcf/nn/multi_scale_convolution.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "support/device.h"
#include "support/gradcheck.h"
#include "support/layers.h"
#include "support/resize.h"

namespace scdcf::nn {
namespace {

TEST(MultiScaleConvolution, matrices_equal_resizing_convolving_and_resizing_back) {
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
          const auto expected = testing::convolve_resized(x, weights[i], bias, factors[i])
                                    .slice(2, 0, height, stride)
                                    .slice(3, 0, width, stride);
          EXPECT_LT(testing::relative_error(MultiScaleConvolution::to_maps(all[i]), expected), 1e-12)
              << in << " -> " << out << ", factor " << factors[i] << ", stride " << stride << ", width " << width;
        }
      }
}

TEST(MultiScaleConvolution, has_the_gradients_of_central_differences) {
  torch::manual_seed(2);
  const MultiScaleConvolution convolution({0.7, 1.4}, 3, 1);
  testing::expect_gradients(
      [&](const auto& in) {
        return convolution(in[0], {in[1], in[1]}, in[2]).amax(0);
      },
      {testing::random_tensor({1, 2, 5, 4}), testing::random_tensor({2, 2, 3, 3}), testing::random_tensor({2})});
}

}  // namespace
}  // namespace scdcf::nn
