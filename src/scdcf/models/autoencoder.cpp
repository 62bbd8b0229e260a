#include "scdcf/models/autoencoder.h"

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>
#include <torch/nn/modules/upsampling.h>

#include "scdcf/core/error.h"
#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"
#include "scdcf/nn/pooling.h"

namespace scdcf::models {
namespace {

// The paper rescales codes by up to 0.6 octaves in steps of 0.1: this step puts each of them on the scale axis. The
// coarsest filter is as wide as the 13 pixels of Table 5.
constexpr int kCodeScales = 15;
constexpr double kCodeStep = 0.1, kCoarsestWidth = 13;
constexpr int64_t kHidden = 128, kDecoderChannels = 16;

/// In space the border pixel is repeated: the code of a black image is then the same everywhere, and a code can be
/// moved and rescaled with what lies beyond its border known.
torch::nn::Sequential cnn_encoder() {
  torch::nn::Sequential encoder;
  int64_t in = 1;
  for (const int64_t out : {8, 16}) {
    encoder->push_back(
        torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 7).padding(3).padding_mode(torch::kReplicate).bias(false)));
    encoder->push_back(nn::BatchNorm(out));
    encoder->push_back(torch::nn::ReLU());
    encoder->push_back(torch::nn::AvgPool2d(torch::nn::AvgPool2dOptions(2)));
    in = out;
  }
  return encoder;
}

torch::nn::Sequential scdcf_encoder(int modes) {
  const auto grid = basis::ScaleGrid::ending_at(kCodeScales, kCodeStep, kCoarsestWidth);
  const auto border = nn::SpatialPadding::replicate;
  return torch::nn::Sequential(
      nn::LiftingConv(nn::LiftingConvOptions(1, 4, grid).modes(modes).padding(border).bias(false)),
      nn::ScaleBatchNorm(4), torch::nn::ReLU(), nn::SpatialAvgPool(),
      nn::JointConv(
          nn::JointConvOptions(4, 8, grid).modes(modes).scale_taps(3).scale_modes(3).padding(border).bias(false)),
      nn::ScaleBatchNorm(8), torch::nn::ReLU(), nn::SpatialAvgPool());
}

torch::nn::ConvTranspose2d transposed(int64_t in, int64_t out, int64_t padding) {
  return torch::nn::ConvTranspose2d(torch::nn::ConvTranspose2dOptions(in, out, 7).padding(padding).bias(false));
}

torch::nn::Upsample upsampled() {
  return torch::nn::Upsample(
      torch::nn::UpsampleOptions().scale_factor(std::vector<double>{2, 2}).mode(torch::kBilinear).align_corners(false));
}

/// Table 5 has 4,096 = 16 * 16 * 16 numbers before the transposed convolutions, and 14 pixels are needed behind the
/// first for images of 56: it is padded by four pixels, the second by three.
torch::nn::Sequential decoder(int64_t code_size, int64_t image_size) {
  const int64_t side = image_size / 4 + 2, numbers = kDecoderChannels * side * side;
  return torch::nn::Sequential(
      torch::nn::Flatten(), torch::nn::Linear(code_size, kHidden), torch::nn::ReLU(),
      torch::nn::Linear(kHidden, numbers), torch::nn::ReLU(),
      torch::nn::Unflatten(torch::nn::UnflattenOptions(1, std::vector<int64_t>{kDecoderChannels, side, side})),
      transposed(kDecoderChannels, 8, 4), nn::BatchNorm(8), torch::nn::ReLU(), upsampled(), transposed(8, 1, 3),
      nn::BatchNorm(1), torch::nn::ReLU(), upsampled());
}

}  // namespace

AutoEncoder::AutoEncoder(const AutoEncoderOptions& options) {
  require(options.image_size > 0 && options.image_size % 4 == 0, "auto-encoder: image_size: got ", options.image_size,
          ", expected a positive multiple of 4");
  const bool plain = options.name == "cnn-autoencoder";
  require(plain || options.name == "scdcf-autoencoder", "auto-encoder: got name \"", options.name,
          "\", expected cnn-autoencoder or scdcf-autoencoder");
  scale_step_ = plain ? 0 : kCodeStep;
  const int64_t side = options.image_size / 4;
  encoder_ = register_module("encoder", plain ? cnn_encoder() : scdcf_encoder(options.modes));
  decoder_ = register_module("decoder", decoder((plain ? 16 : 8 * kCodeScales) * side * side, options.image_size));
}

}  // namespace scdcf::models
