#include "scdcf/nn/vector_field.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "support/device.h"
#include "support/expect_error.h"
#include "support/layers.h"
#include "support/patterns.h"

namespace scdcf::nn {
namespace {

constexpr double kHalfCircle = 3.14159265358979323846;

double angle_at_centre(const torch::Tensor& field) {
  const int64_t middle = field.size(2) / 2;
  return std::atan2(field[0][1][middle][middle].item<double>(), field[0][0][middle][middle].item<double>());
}

TEST(VectorField, the_vector_turns_with_the_scale_of_the_input) {
  const torch::NoGradGuard no_grad;
  // Octaves on a canvas of 64 pixels: every resizing is by a whole number of pixels.
  const auto options = MultiScaleConvOptions(1, 1).scales(4).step(1).bias(false);
  auto first = testing::double_layer<VectorFieldConv>(6, options, false),
       second = testing::double_layer<VectorFieldConv>(6, options, true);
  const auto detector = testing::blob(7, 1.0) - testing::blob(7, 1.0).mean();
  first->conv->weight.copy_(detector);
  second->conv->weight.copy_(torch::cat({detector, detector}, 1));
  const auto at_centre = [](const torch::Tensor& field) { return vector_length(field)[0][0][32][32].item<double>(); };
  const auto start = first->forward(testing::blob(64, 1.4)), deeper = second->forward(start);
  for (const int octaves : {1, 2}) {
    const auto field = first->forward(testing::blob(64, 1.4 * std::exp2(octaves)));
    EXPECT_NEAR(angle_at_centre(field) - angle_at_centre(start), octaves * kHalfCircle / 4, 1e-6) << octaves;
    EXPECT_NEAR(at_centre(field) / at_centre(start), 1, 0.1) << octaves;
    EXPECT_NEAR(angle_at_centre(second->forward(field)) - angle_at_centre(deeper), octaves * kHalfCircle / 4, 1e-6)
        << "second layer, " << octaves;
  }
}

TEST(VectorField, pooling_keeps_the_longest_vector_whole) {
  auto field = torch::zeros({1, 2, 2, 2}, testing::on_device(torch::kDouble));
  field[0][0][0][1] = -3;
  field[0][1][0][1] = 4;
  field[0][0][1][0] = 4.5;
  const auto pooled = VectorMaxPool(SpatialPoolOptions(2))->forward(field);
  EXPECT_EQ(pooled.sizes(), (std::vector<int64_t>{1, 2, 1, 1}));
  EXPECT_EQ(pooled[0][0][0][0].item<double>(), -3);
  EXPECT_EQ(pooled[0][1][0][0].item<double>(), 4);
}

TEST(VectorField, batch_norm_changes_lengths_and_no_angle) {
  torch::manual_seed(1);
  VectorBatchNorm norm(3);
  testing::to_double(norm);
  const auto field = 5 * testing::random_tensor({4, 6, 5, 5});
  const auto out = norm->forward(field);
  const auto deviation = vector_length(out).std({0, 2, 3}, false);
  EXPECT_LT((deviation - 1).abs().max().item<double>(), 1e-4);
  const auto ratio = out / field;
  const auto parts = ratio.chunk(2, 1);
  EXPECT_LT(testing::relative_error(parts[0], parts[1]), 1e-12);
  for (int i = 0; i < 200; ++i) norm->forward(field);
  norm->eval();
  EXPECT_LT(testing::relative_error(norm->forward(field), out), 1e-6);
}

TEST(VectorField, layers_have_the_gradients_of_central_differences) {
  const auto options = MultiScaleConvOptions(1, 2).kernel_size(3).scales(4);
  testing::expect_layer_gradients(VectorFieldConv(options, /*field_input=*/true), {2, 2, 5, 4});
  testing::expect_layer_gradients(VectorMaxPool(), {1, 4, 4, 4});
  testing::expect_layer_gradients(VectorBatchNorm(1), {2, 2, 5, 4});
}

TEST(VectorField, bad_arguments_are_named) {
  testing::expect_error([] { VectorMaxPool()->forward(torch::zeros({1, 3, 4, 4})); }, "VectorMaxPool", "[N, 2C, H, W]");
  auto layer = testing::double_layer<VectorFieldConv>(6, MultiScaleConvOptions(1, 1), true);
  testing::expect_error([&] { layer->forward(torch::zeros({1, 1, 4, 4})); }, "got 1 channels", "expected 2");
}

}  // namespace
}  // namespace scdcf::nn
