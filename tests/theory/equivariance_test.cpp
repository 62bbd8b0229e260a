#include "scdcf/theory/equivariance.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <array>
#include <cmath>
#include <cstdio>

#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"
#include "scdcf/nn/norm_relu_pool.h"
#include "scdcf/nn/pooling.h"
#include "support/device.h"
#include "support/digits.h"
#include "support/expect_error.h"

namespace scdcf::theory {
namespace {

constexpr double kStep = 0.25;

/// Three layers with ReLU between them, four channels, K = 8, nine scales from six pixels on.
torch::nn::Sequential stack(basis::Sampling sampling, nn::ScalePadding padding, int taps, uint64_t seed) {
  torch::manual_seed(seed);
  const basis::ScaleGrid grid(9, kStep, 6.0);
  torch::nn::Sequential net;
  net->push_back(nn::LiftingConv(nn::LiftingConvOptions(1, 4, grid).modes(8).sampling(sampling).bias(false)));
  for (int l = 1; l < 3; ++l) {
    net->push_back(torch::nn::ReLU());
    net->push_back(nn::JointConv(nn::JointConvOptions(4, 4, grid)
                                     .modes(8)
                                     .sampling(sampling)
                                     .scale_taps(taps)
                                     .scale_padding(padding)
                                     .bias(false)));
  }
  net->to(testing::device());
  return net;
}

/// Eight digits, 48x48, in the middle of 96x96.
std::optional<torch::Tensor> digits_on_canvas() {
  const auto digits = testing::mnist_digits(8);
  if (!digits) return std::nullopt;
  const auto larger = torch::upsample_bicubic2d(*digits, {48, 48}, false).clamp(0, 1);
  return torch::constant_pad_nd(larger, {24, 24, 24, 24}).to(testing::device());
}

/// Mean over a few random nets of the error after layer 1, 2, 3 at scales 1, 4, 8.
std::array<std::array<double, 3>, 3> errors(const torch::Tensor& images, basis::Sampling sampling,
                                            nn::ScalePadding padding, int taps) {
  constexpr int kNets = 3;
  std::array<std::array<double, 3>, 3> result{};
  for (uint64_t seed = 1; seed <= kNets; ++seed) {
    auto net = stack(sampling, padding, taps, seed);
    const auto layers = layerwise_equivariance_error(net, images, {kStep, 0, 0}, kStep);
    for (size_t l = 0; l < 3; ++l)
      for (size_t i = 0; i < 3; ++i) result[l][i] += layers[2 * l].per_scale[std::array<size_t, 3>{1, 4, 8}[i]] / kNets;
  }
  return result;
}

TEST(Equivariance, on_real_digits_area_sampling_beats_point_sampling_and_replicate_beats_zero) {
  const auto images = digits_on_canvas();
  if (!images) GTEST_SKIP() << "MNIST is not here; set SCDCF_DATA to a folder that holds mnist/";
  const auto area = errors(*images, basis::Sampling::area, nn::ScalePadding::replicate, 2);
  EXPECT_LE(area[0][0], 0.045);
  EXPECT_LE(area[0][1], 0.035);
  EXPECT_LE(area[0][2], 0.02);
  const auto point = errors(*images, basis::Sampling::point, nn::ScalePadding::replicate, 2);
  EXPECT_GT(point[0][0], 2 * area[0][0]);
  const auto zero = errors(*images, basis::Sampling::area, nn::ScalePadding::zero, 2);
  EXPECT_GT(zero[1][0], 8 * area[1][0]);
  std::printf("relative error at scales 1/4/8, layer 1: area %.3f/%.3f/%.3f, point %.3f/%.3f/%.3f\n", area[0][0],
              area[0][1], area[0][2], point[0][0], point[0][1], point[0][2]);
  std::printf("layer 2: replicate %.3f/%.3f/%.3f, zero %.3f/%.3f/%.3f\n", area[1][0], area[1][1], area[1][2],
              zero[1][0], zero[1][1], zero[1][2]);
}

TEST(Equivariance, an_ordinary_convolution_fails_where_a_lifting_convolution_does_not) {
  torch::manual_seed(5);
  const auto axis = (torch::arange(64, torch::kDouble) - 31.5).to(testing::device());
  auto image = torch::zeros({1, 1, 64, 64}, testing::on_device(torch::kFloat));
  for (int i = 0; i < 6; ++i) {
    const double y = 12 * std::sin(2.0 * i), x = 12 * std::cos(3.0 * i);
    image +=
        torch::exp(-((axis - y).square().view({-1, 1}) / 8 + (axis - x).square().view({1, -1}) / 18)).to(torch::kFloat);
  }
  torch::nn::Sequential plain(torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 4, 5).padding(2).bias(false)));
  torch::nn::Sequential scale_aware(
      nn::LiftingConv(nn::LiftingConvOptions(1, 4, basis::ScaleGrid(4, kStep, 5.0)).modes(8).bias(false)));
  plain->to(testing::device());
  scale_aware->to(testing::device());
  const GroupElement g{kStep, 0, 0};
  const double cnn = layerwise_equivariance_error(plain, image, g, kStep)[0].per_scale[0];
  const double ours = layerwise_equivariance_error(scale_aware, image, g, kStep)[0].per_scale[1];
  EXPECT_GT(cnn, 5 * ours);
}

TEST(Equivariance, is_exact_for_a_translation_by_whole_pixels) {
  auto net = stack(basis::Sampling::area, nn::ScalePadding::replicate, 2, 1);
  auto image = torch::zeros({1, 1, 120, 120}, testing::on_device(torch::kFloat));
  image.slice(2, 54, 66).slice(3, 54, 66).normal_();
  for (const auto& layer : layerwise_equivariance_error(net, image, {0, 3, -2}, kStep))
    for (const double error : layer.per_scale) EXPECT_LT(error, 1e-5) << layer.layer;
}

TEST(Equivariance, follows_pooled_maps_onto_their_coarser_grid) {
  torch::manual_seed(6);
  const basis::ScaleGrid grid(3, kStep, 5.0);
  torch::nn::Sequential net(nn::LiftingConv(nn::LiftingConvOptions(1, 2, grid).modes(3).bias(false)),
                            nn::SpatialAvgPool(), nn::ScaleMaxProjection());
  net->to(testing::device());
  auto image = torch::zeros({1, 1, 64, 64}, testing::on_device(torch::kFloat));
  image.slice(2, 28, 36).slice(3, 28, 36).normal_();
  const auto layers = layerwise_equivariance_error(net, image, {0, 4, -6}, kStep);
  EXPECT_LT(layers[1].per_scale[0], 1e-5);
  EXPECT_EQ(layers[2].per_scale.size(), 1u);
  EXPECT_LT(layers[2].per_scale[0], 1e-5);
}

TEST(Equivariance, leaves_every_module_in_its_mode_and_all_statistics_alone) {
  const basis::ScaleGrid grid(3, kStep, 5.0);
  torch::nn::Sequential net(nn::LiftingConv(nn::LiftingConvOptions(1, 2, grid).modes(3)),
                            nn::NormReluPool(nn::NormReluPoolOptions(2)), nn::ScaleBatchNorm(2));
  net->to(testing::device());
  net->train();
  net[2]->eval();  // frozen
  const auto image = torch::rand({2, 1, 24, 24}, testing::on_device(torch::kFloat));
  const auto expect_untouched = [&] {
    EXPECT_TRUE(net->is_training());
    EXPECT_TRUE(net[1]->is_training());
    EXPECT_FALSE(net[2]->is_training());
    for (const auto& buffer : net->named_buffers())
      if (buffer.key().find("running_mean") != std::string::npos ||
          buffer.key().find("num_batches") != std::string::npos) {
        EXPECT_EQ(buffer.value().abs().sum().item<double>(), 0) << buffer.key();
      }
  };
  layerwise_equivariance_error(net, image, {kStep, 0, 0}, kStep);
  expect_untouched();
  net->push_back(nn::SpatialAvgPool(nn::SpatialPoolOptions(50)));  // which refuses these maps
  testing::expect_error([&] { layerwise_equivariance_error(net, image, {kStep, 0, 0}, kStep); }, "SpatialAvgPool");
  expect_untouched();
}

/// Mean error of a decoder, scale by scale: pooled, convolved, enlarged again to the size that it had.
std::vector<double> decoder_errors(int64_t size, nn::UpsampleMode mode) {
  torch::manual_seed(7);
  const basis::ScaleGrid grid(5, 0.5, 4.0);
  const auto conv = nn::JointConvOptions(4, 4, grid).modes(8).scale_taps(2).bias(false);
  nn::LiftingConv lifting(nn::LiftingConvOptions(1, 4, grid).modes(8).bias(false));
  nn::JointConv joint(conv);
  nn::SpatialUpsample up(nn::SpatialUpsampleOptions(2).mode(mode));
  for (auto* module : {static_cast<torch::nn::Module*>(lifting.get()), static_cast<torch::nn::Module*>(joint.get())})
    module->to(testing::device(), torch::kDouble);
  const auto axis = torch::arange(size, testing::on_device(torch::kDouble)) - static_cast<double>(size - 1) / 2;
  const auto image = torch::exp(-(axis.square().view({-1, 1}) + axis.square()) / 50).view({1, 1, size, size});
  const torch::NoGradGuard no_grad;
  const auto decoded = [&](const torch::Tensor& x) {
    return up->forward(joint(nn::SpatialAvgPool()(torch::relu(lifting(x)))), {size, size});
  };
  const GroupElement g{0.5, 0, 0};
  return equivariance_error(decoded(act_on_image(image, g)), decoded(image), g, 0.5, 8);
}

TEST(Equivariance, holds_for_a_decoder_of_even_and_odd_maps) {
  for (const int64_t size : {64, 63}) {
    const auto smooth = decoder_errors(size, nn::UpsampleMode::bilinear);
    const auto coarse = decoder_errors(size, nn::UpsampleMode::nearest);
    ASSERT_EQ(smooth.size(), 5U);
    for (size_t s = 0; s < smooth.size(); ++s) {
      std::printf("decoder of %d pixels, scale %d: bilinear %.4f, nearest %.4f\n", static_cast<int>(size),
                  static_cast<int>(s), smooth[s], coarse[s]);
      EXPECT_LT(smooth[s], s == 0 ? 0.15 : 0.04) << size << " pixels, scale " << s;
      EXPECT_LT(smooth[s], coarse[s]) << size << " pixels, scale " << s;
    }
  }
}

TEST(Equivariance, bad_arguments_are_named) {
  const auto features = torch::zeros({1, 1, 2, 8, 8});
  testing::expect_error(
      [&] {
        equivariance_error(features, features.slice(3, 1), {0, 0, 0}, kStep);
      },
      "shapes", "equal");
  testing::expect_error([&] { equivariance_error(features, features, {0, 0, 0}, kStep, 4); }, "border", "got 4");
  torch::nn::Sequential empty;
  testing::expect_error([&] { layerwise_equivariance_error(empty, features, {0, 0, 0}, kStep); }, "[N, C, H, W]");
}

}  // namespace
}  // namespace scdcf::theory
