// The plain network that all others are compared with: 7x7 convolutions, 494,549 parameters for 28x28 digits.
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/pooling.h>

#include "scdcf/core/error.h"
#include "scdcf/models/built_in.h"
#include "scdcf/models/skeleton.h"

namespace scdcf::models {
namespace {

ModelOptions resolve_cnn(ModelOptions options) {
  refuse_unknown_options(options, {"pooling"});
  if (options.pooling.empty()) options.pooling = "max";
  require(options.pooling == "max" || options.pooling == "average", "cnn: pooling: got \"", options.pooling,
          "\", expected max or average");
  resolve_skeleton(options, {32, 63, 95});
  return options;
}

std::shared_ptr<Network> make_cnn(const ModelOptions& options) {
  SkeletonParts parts;
  int64_t in = options.in_channels;
  for (int i = 0; i < 3; ++i) {
    const int64_t out = options.channels[static_cast<size_t>(i)];
    const auto pooling = skeleton_pooling(options.image_size, i);
    torch::nn::Sequential block(torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 7).padding(3)), torch::nn::ReLU());
    if (options.pooling == "max") {
      block->push_back(torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions(pooling.window).padding(pooling.padding)));
    } else {
      block->push_back(torch::nn::AvgPool2d(
          torch::nn::AvgPool2dOptions(pooling.window).padding(pooling.padding).count_include_pad(false)));
    }
    block->push_back(torch::nn::BatchNorm2d(out));
    parts.blocks.push_back(block);
    in = out;
  }
  parts.head_channels = in;
  return std::make_shared<SkeletonNetwork>(options, std::move(parts));
}

}  // namespace

ModelEntry cnn_entry() { return {"cnn", "the usual convolutional network", "translations", resolve_cnn, make_cnn}; }

}  // namespace scdcf::models
