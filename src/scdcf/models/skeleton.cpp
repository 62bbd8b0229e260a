#include "scdcf/models/skeleton.h"

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>

#include <algorithm>

#include "scdcf/core/error.h"
#include "scdcf/nn/dropout.h"

namespace scdcf::models {

Pooling skeleton_pooling(int64_t image_size, int block) {
  if (block < 2) return {};
  if (image_size == 56) return {8, 2};  // as published; the rule below would give the same 2x2 pixels
  const int64_t side = image_size / 4, window = (side + 1) / 2;
  return {window, side % 2 == 0 ? 0 : std::min<int64_t>(2, window / 2)};
}

void resolve_skeleton(ModelOptions& options, const std::vector<int64_t>& channels) {
  require(options.image_size >= 12 && options.image_size % 4 == 0 && options.image_size <= 1024, options.name,
          ": image size: got ", options.image_size, ", expected a multiple of 4 from 12 to 1024");
  require(options.classes >= 2, options.name, ": classes: got ", options.classes, ", expected at least 2");
  require(options.in_channels >= 1, options.name, ": input channels: got ", options.in_channels,
          ", expected at least 1");
  if (options.channels.empty()) options.channels = channels;
  require(options.channels.size() == 3, options.name, ": channels: got ", options.channels.size(),
          " numbers, expected one for each of the three blocks");
  for (const int64_t count : options.channels)
    require(count >= 1, options.name, ": channels: got ", count, ", expected at least 1");
  if (options.hidden == 0) options.hidden = 256;
  require(options.hidden > 0, options.name, ": hidden units: got ", options.hidden, ", expected at least 1");
  if (options.dropout < 0) options.dropout = 0.7;
  require(options.dropout < 1, options.name, ": dropout: got ", options.dropout, ", expected 0 <= p < 1");
}

void resolve_pooling(ModelOptions& options, const std::string& standard) {
  if (options.pooling.empty()) options.pooling = standard;
  require(options.pooling == "max" || options.pooling == "average", options.name, ": pooling: got \"", options.pooling,
          "\", expected max or average");
}

void append_map_block_end(torch::nn::Sequential& block, const ModelOptions& options, int index) {
  const auto pooling = skeleton_pooling(options.image_size, index);
  block->push_back(torch::nn::ReLU());
  if (options.pooling == "max") {
    block->push_back(torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions(pooling.window).padding(pooling.padding)));
  } else {
    block->push_back(torch::nn::AvgPool2d(
        torch::nn::AvgPool2dOptions(pooling.window).padding(pooling.padding).count_include_pad(false)));
  }
  block->push_back(torch::nn::BatchNorm2d(options.channels[static_cast<size_t>(index)]));
}

double skeleton_parameters(const ModelOptions& options, const std::vector<int64_t>& channels, double first_per_pair,
                           double per_pair) {
  const auto a = static_cast<double>(channels[0]), b = static_cast<double>(channels[1]),
             c = static_cast<double>(channels[2]), hidden = static_cast<double>(options.hidden),
             classes = static_cast<double>(options.classes);
  return first_per_pair * static_cast<double>(options.in_channels) * a + per_pair * (a * b + b * c) + 3 * (a + b + c) +
         4 * c * hidden + 2 * hidden + hidden * classes + classes;
}

SkeletonNetwork::SkeletonNetwork(const ModelOptions& options, SkeletonParts parts) : parts_(std::move(parts)) {
  for (size_t i = 0; i < parts_.blocks.size(); ++i) register_module("block" + std::to_string(i + 1), parts_.blocks[i]);
  if (parts_.centre_head) centring_ = register_module("centring", nn::Centring(parts_.head_channels * 4));
  head_ = register_module(
      "head", torch::nn::Sequential(
                  torch::nn::Linear(torch::nn::LinearOptions(parts_.head_channels * 4, options.hidden).bias(false)),
                  torch::nn::BatchNorm1d(options.hidden), torch::nn::ReLU(), nn::Dropout(options.dropout),
                  torch::nn::Linear(options.hidden, options.classes)));
}

torch::Tensor SkeletonNetwork::forward(const torch::Tensor& images) {
  torch::Tensor maps = images;
  for (auto& block : parts_.blocks) maps = block->forward(maps);
  if (parts_.project) maps = parts_.project(maps);
  const auto features = maps.flatten(1);
  return head_->forward(centring_.is_empty() ? features : centring_->forward(features));
}

std::vector<LayerOutput> SkeletonNetwork::features(const torch::Tensor& images) {
  std::vector<LayerOutput> outputs;
  torch::Tensor maps = images;
  for (size_t i = 0; i < parts_.blocks.size(); ++i) {
    maps = parts_.blocks[i]->forward(maps);
    outputs.push_back({"block " + std::to_string(i + 1), maps});
  }
  return outputs;
}

}  // namespace scdcf::models
