#include "scdcf/models/skeleton.h"

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>

#include <algorithm>

#include "scdcf/core/error.h"
#include "scdcf/models/parameter_budget.h"
#include "scdcf/nn/batch_norm.h"
#include "scdcf/nn/centring.h"
#include "scdcf/nn/dropout.h"
#include "scdcf/nn/norm_relu_pool.h"
#include "scdcf/nn/pooling.h"
#include "scdcf/nn/vector_field.h"

namespace scdcf::models {
namespace {

constexpr int kSkeletonBlocks = 3;
constexpr const char *kNormReluPool = "norm-relu-pool", *kReluPoolNorm = "relu-pool-norm";  // ModelOptions::block

/// What follows the convolution of a block: norm, ReLU and pooling in the order of options.block.
void append_block_end(torch::nn::Sequential& block, Maps maps, int64_t channels, const Pooling& pooling,
                      const ModelOptions& options) {
  const auto window = nn::SpatialPoolOptions(pooling.window).padding(pooling.padding);
  if (maps == Maps::vectors) {  // the convolution has cut off what is negative
    block->push_back(nn::VectorMaxPool(window));
    block->push_back(nn::VectorBatchNorm(channels));
    return;
  }
  const bool norm_first = options.block == kNormReluPool, average = options.pooling == "average";
  if (norm_first) {
    auto norm = nn::NormReluPoolOptions(channels).window(1);
    if (average) norm.window(pooling.window).padding(pooling.padding);
    block->push_back(nn::NormReluPool(norm));
    if (average) return;
  } else {
    block->push_back(torch::nn::ReLU());
  }
  if (maps == Maps::scales && average)
    block->push_back(nn::SpatialAvgPool(window));
  else if (maps == Maps::scales)
    block->push_back(nn::SpatialMaxPool(window));
  else if (average)
    block->push_back(torch::nn::AvgPool2d(
        torch::nn::AvgPool2dOptions(pooling.window).padding(pooling.padding).count_include_pad(false)));
  else
    block->push_back(torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions(pooling.window).padding(pooling.padding)));
  if (!norm_first) block->push_back(nn::BatchNorm(channels));
}

class SkeletonNetwork : public Network {
 public:
  SkeletonNetwork(const ModelOptions& options, const Variant& variant) : options_(options), maps_(variant.maps) {
    const auto convolutions = variant.convolutions(options, Kernel{});
    scale_step_ = maps_ == Maps::scales ? convolutions.scale_step : 0;
    int64_t in = options.in_channels;
    for (int i = 0; i < kSkeletonBlocks; ++i) {
      const int64_t out = options.channels[static_cast<size_t>(i)];
      auto block = (i == 0 ? convolutions.first : convolutions.other)(in, out, 1);
      append_block_end(block, maps_, out, skeleton_pooling(options.image_size, i), options);
      blocks_.push_back(register_module("block" + std::to_string(i + 1), block));
      in = out;
    }
    const int64_t features = in * 4;
    // Lengths of vectors have one sign, so their mean is far from zero (nn/centring.h).
    if (maps_ == Maps::vectors) centring_ = register_module("centring", nn::Centring(features));
    head_ = register_module(
        "head", torch::nn::Sequential(torch::nn::Linear(torch::nn::LinearOptions(features, options.hidden).bias(false)),
                                      nn::BatchNorm(options.hidden), torch::nn::ReLU(), nn::Dropout(options.dropout),
                                      torch::nn::Linear(options.hidden, options.classes)));
  }

  torch::Tensor forward(const torch::Tensor& images) override {
    check_images(options_, images);
    torch::Tensor maps = images;
    for (auto& block : blocks_) maps = block->forward(maps);
    if (maps_ == Maps::scales) maps = maps.amax(2);
    if (maps_ == Maps::vectors) maps = nn::vector_length(maps);
    const auto features = maps.flatten(1);
    return head_->forward(centring_.is_empty() ? features : centring_->forward(features));
  }

  std::vector<LayerOutput> features(const torch::Tensor& images) override {
    check_images(options_, images);
    std::vector<LayerOutput> outputs;
    torch::Tensor maps = images;
    for (auto& block : blocks_) {
      maps = block->forward(maps);
      outputs.push_back({"block " + std::to_string(outputs.size() + 1), maps});
    }
    return outputs;
  }
  double scale_step() const override { return scale_step_; }

 private:
  ModelOptions options_;
  Maps maps_;
  double scale_step_ = 0;
  std::vector<torch::nn::Sequential> blocks_;
  nn::Centring centring_{nullptr};
  torch::nn::Sequential head_{nullptr};
};

ModelOptions resolve_skeleton(ModelOptions options, const Variant& variant, const std::vector<int64_t>& channels) {
  auto known = variant.known_options;
  const bool has_pooling = variant.maps != Maps::vectors;  // of vectors the longest stays
  if (has_pooling) known.insert(known.end(), {"pooling", "block"});
  refuse_unknown_options(options, known);
  resolve_common(options, {12, kSkeletonBlocks, "each of the three blocks", 0.7});
  if (options.hidden == 0) options.hidden = 256;
  variant.resolve(options);
  if (has_pooling) {
    if (options.pooling.empty()) options.pooling = "max";
    require(options.pooling == "max" || options.pooling == "average", "pooling: got \"", options.pooling,
            "\", expected max or average");
    // Measured with a scale axis: before an average the norm does better.
    if (options.block.empty())
      options.block = variant.maps == Maps::scales && options.pooling == "average" ? kNormReluPool : kReluPoolNorm;
    require(options.block == kNormReluPool || options.block == kReluPoolNorm, "block: got \"", options.block,
            "\", expected ", kNormReluPool, " or ", kReluPoolNorm);
  }
  if (!options.channels.empty()) return options;
  options.channels = channels;
  if (!channels.empty()) return options;
  const auto plain = skeleton_channels();
  const auto convolutions = variant.convolutions(options, Kernel{});
  options.channels = match_parameters(plain, skeleton_parameters(options, plain, 49, 49), [&](const auto& tried) {
    return skeleton_parameters(options, tried, convolutions.first_per_pair, convolutions.per_pair);
  });
  return options;
}

}  // namespace

ModelEntry skeleton_entry(const Variant& variant, const std::vector<int64_t>& channels) {
  return {variant.name, variant.source, variant.symmetry,
          [=](const ModelOptions& options) { return resolve_skeleton(options, variant, channels); },
          [=](const ModelOptions& options) { return std::make_shared<SkeletonNetwork>(options, variant); }};
}

std::vector<int64_t> skeleton_channels() { return {32, 63, 95}; }

Pooling skeleton_pooling(int64_t image_size, int block) {
  if (block < 2) return {};
  if (image_size == 56) return {8, 2};  // as published; the rule below would give the same 2x2 pixels
  const int64_t side = image_size / 4, window = (side + 1) / 2;
  return {window, side % 2 == 0 ? 0 : std::min<int64_t>(2, window / 2)};
}

double skeleton_parameters(const ModelOptions& options, const std::vector<int64_t>& channels, double first_per_pair,
                           double per_pair) {
  const auto a = static_cast<double>(channels[0]), b = static_cast<double>(channels[1]),
             c = static_cast<double>(channels[2]), hidden = static_cast<double>(options.hidden),
             classes = static_cast<double>(options.classes);
  return first_per_pair * static_cast<double>(options.in_channels) * a + per_pair * (a * b + b * c) + 3 * (a + b + c) +
         4 * c * hidden + 2 * hidden + hidden * classes + classes;
}

}  // namespace scdcf::models
