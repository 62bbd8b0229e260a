#include "scdcf/models/resnet16.h"

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <array>
#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/models/parameter_budget.h"
#include "scdcf/nn/dropout.h"
#include "scdcf/nn/norm_relu_pool.h"
#include "scdcf/nn/pointwise_conv.h"

namespace scdcf::models {
namespace {

constexpr std::array<int64_t, 3> kStrides = {1, 2, 2};
constexpr int kBlocks = 2;  // in a group

torch::nn::Sequential norm_and_relu(int64_t channels, bool scale_axis) {
  torch::nn::Sequential layers;
  if (scale_axis) {
    layers->push_back(nn::NormReluPool(nn::NormReluPoolOptions(channels).window(1)));
  } else {
    layers->push_back(torch::nn::BatchNorm2d(channels));
    layers->push_back(torch::nn::ReLU());
  }
  return layers;
}

torch::nn::Sequential pointwise(int64_t in, int64_t out, int64_t stride, bool scale_axis) {
  if (scale_axis)
    return torch::nn::Sequential(nn::PointwiseConv(nn::PointwiseConvOptions(in, out).stride(stride).bias(false)));
  return torch::nn::Sequential(torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 1).stride(stride).bias(false)));
}

/// norm, ReLU, convolution, norm, ReLU, dropout, convolution, plus the input; where channels or stride change, the
/// input goes through a 1x1 convolution behind the first ReLU.
class PreActivationBlock : public torch::nn::Module {
 public:
  PreActivationBlock(const ResNetConvs& convs, int64_t in, int64_t out, int64_t stride, double dropout)
      : before1_(register_module("before1", norm_and_relu(in, convs.scale_axis))),
        conv1_(register_module("conv1", convs.other(in, out, stride))),
        before2_(register_module("before2", norm_and_relu(out, convs.scale_axis))),
        dropout_(register_module("dropout", nn::Dropout(dropout))),
        conv2_(register_module("conv2", convs.other(out, out, 1))) {
    if (in != out || stride != 1) shortcut_ = register_module("shortcut", pointwise(in, out, stride, convs.scale_axis));
  }
  torch::Tensor forward(const torch::Tensor& input) {
    const auto active = before1_->forward(input);
    const auto change = conv2_->forward(dropout_->forward(before2_->forward(conv1_->forward(active))));
    return change + (shortcut_.is_empty() ? input : shortcut_->forward(active));
  }

 private:
  torch::nn::Sequential before1_, conv1_, before2_;
  nn::Dropout dropout_;
  torch::nn::Sequential conv2_, shortcut_{nullptr};
};

class ResNet16 : public Network {
 public:
  ResNet16(const ModelOptions& options, const ResNetConvs& convs)
      : scale_step_(convs.scale_step), first_(convs.first(options.in_channels, options.channels[0], 1)) {
    register_module("first", first_);
    int64_t in = options.channels[0];
    for (size_t group = 0; group < kStrides.size(); ++group)
      for (int i = 0; i < kBlocks; ++i) {
        const int64_t out = options.channels[group + 1];
        const auto name = "group" + std::to_string(group + 1) + "_block" + std::to_string(i + 1);
        blocks_.push_back(register_module(
            name, std::make_shared<PreActivationBlock>(convs, in, out, i == 0 ? kStrides[group] : 1, options.dropout)));
        in = out;
      }
    last_ = register_module("last", norm_and_relu(in, convs.scale_axis));
    scores_ = register_module("scores", torch::nn::Linear(in, options.classes));
    draw_kernels();
  }

  torch::Tensor forward(const torch::Tensor& images) override {
    auto maps = first_->forward(images);
    for (auto& block : blocks_) maps = block->forward(maps);
    maps = last_->forward(maps);
    if (maps.dim() == 5) maps = maps.amax(2);
    return scores_->forward(maps.mean({2, 3}));
  }

  std::vector<LayerOutput> features(const torch::Tensor& images) override {
    std::vector<LayerOutput> outputs;
    auto maps = first_->forward(images);
    for (size_t i = 0; i < blocks_.size(); ++i) {
      maps = blocks_[i]->forward(maps);
      if (i % kBlocks == kBlocks - 1) outputs.push_back({"group " + std::to_string(i / kBlocks + 1), maps});
    }
    return outputs;
  }
  double scale_step() const override { return scale_step_; }

 private:
  /// LibTorch's own initial kernels are too small for a ReLU; decomposed filters come with theirs.
  void draw_kernels() {
    const torch::NoGradGuard no_grad;
    for (const auto& module : modules(/*include_self=*/false))
      if (auto* conv = module->as<torch::nn::Conv2dImpl>()) {
        const auto inputs = static_cast<double>(conv->weight.numel() / conv->weight.size(0));
        conv->weight.normal_(0, std::sqrt(2 / inputs));
      }
  }

  double scale_step_;
  torch::nn::Sequential first_, last_;
  std::vector<std::shared_ptr<PreActivationBlock>> blocks_;
  torch::nn::Linear scores_{nullptr};
};

std::vector<int64_t> plain_channels(double width) {
  std::vector<int64_t> channels;
  for (const int base : {16, 16, 32, 64}) channels.push_back(std::max<int64_t>(1, std::llround(base * width)));
  return channels;
}

void resolve_resnet16(ModelOptions& options) {
  require(options.image_size >= 16 && options.image_size % 4 == 0 && options.image_size <= 1024, options.name,
          ": image size: got ", options.image_size, ", expected a multiple of 4 from 16 to 1024");
  require(options.classes >= 2, options.name, ": classes: got ", options.classes, ", expected at least 2");
  require(options.in_channels >= 1, options.name, ": input channels: got ", options.in_channels,
          ", expected at least 1");
  require(options.hidden == 0, options.name, ": hidden units: got ", options.hidden,
          ", expected none: the network has no hidden layer");
  require(options.channels.empty() || options.channels.size() == 4, options.name, ": channels: got ",
          options.channels.size(), " numbers, expected one for the first convolution and each of the three groups");
  for (const int64_t count : options.channels)
    require(count >= 1, options.name, ": channels: got ", count, ", expected at least 1");
  if (options.width == 0) options.width = 2;
  require(options.width > 0 && options.width <= 64, options.name, ": width: got ", options.width,
          ", expected a number up to 64");
  if (options.dropout < 0) options.dropout = 0.3;
  require(options.dropout < 1, options.name, ": dropout: got ", options.dropout, ", expected 0 <= p < 1");
}

}  // namespace

double resnet16_parameters(const ModelOptions& options, const std::vector<int64_t>& channels, double first_per_pair,
                           double per_pair) {
  auto in = static_cast<double>(channels[0]);
  double count = first_per_pair * static_cast<double>(options.in_channels) * in;
  for (size_t group = 0; group < kStrides.size(); ++group)
    for (int i = 0; i < kBlocks; ++i) {
      const auto out = static_cast<double>(channels[group + 1]);
      const bool has_shortcut = in != out || (i == 0 && kStrides[group] != 1);
      count += per_pair * (in * out + out * out) + (has_shortcut ? in * out : 0) + 2 * in + 2 * out;
      in = out;
    }
  return count + 2 * in + (in + 1) * static_cast<double>(options.classes);
}

ModelEntry resnet16_entry(ResNetVariant variant) {
  const auto resolve = [variant](ModelOptions options) {
    auto known = variant.known_options;
    known.push_back("width");
    refuse_unknown_options(options, known);
    resolve_resnet16(options);
    variant.resolve(options);
    if (options.channels.empty()) {
      const auto plain = plain_channels(options.width);
      const auto convs = variant.convs(options);
      options.channels = match_parameters(plain, resnet16_parameters(options, plain, 9, 9), [&](const auto& channels) {
        return resnet16_parameters(options, channels, convs.first_per_pair, convs.per_pair);
      });
    }
    return options;
  };
  const auto make = [variant](const ModelOptions& options) -> std::shared_ptr<Network> {
    return std::make_shared<ResNet16>(options, variant.convs(options));
  };
  return {variant.name, variant.source, variant.symmetry, resolve, make};
}

}  // namespace scdcf::models
