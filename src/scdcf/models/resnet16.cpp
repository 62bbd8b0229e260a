#include "scdcf/models/resnet16.h"

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <array>
#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/models/parameter_budget.h"
#include "scdcf/nn/batch_norm.h"
#include "scdcf/nn/dropout.h"
#include "scdcf/nn/norm_relu_pool.h"
#include "scdcf/nn/pointwise_conv.h"

namespace scdcf::models {
namespace {

constexpr Kernel kResNetKernel = {3, /*bias=*/false};
constexpr std::array<int64_t, 3> kStrides = {1, 2, 2};
constexpr int kBlocks = 2;  // in a group

struct BlockShape {
  std::string name;
  int64_t in, out, stride;
  bool has_shortcut() const { return in != out || stride != 1; }
};

/// The blocks of a network with these channels, in order.
std::vector<BlockShape> block_shapes(const std::vector<int64_t>& channels) {
  std::vector<BlockShape> shapes;
  int64_t in = channels[0];
  for (size_t group = 0; group < kStrides.size(); ++group)
    for (int i = 0; i < kBlocks; ++i) {
      const auto name = "group" + std::to_string(group + 1) + "_block" + std::to_string(i + 1);
      shapes.push_back({name, in, channels[group + 1], i == 0 ? kStrides[group] : 1});
      in = channels[group + 1];
    }
  return shapes;
}

torch::nn::Sequential norm_and_relu(int64_t channels, bool scale_axis) {
  torch::nn::Sequential layers;
  if (scale_axis) {
    layers->push_back(nn::NormReluPool(nn::NormReluPoolOptions(channels).window(1)));
  } else {
    layers->push_back(nn::BatchNorm(channels));
    layers->push_back(torch::nn::ReLU());
  }
  return layers;
}

torch::nn::Sequential pointwise(const BlockShape& shape, bool scale_axis) {
  if (scale_axis)
    return torch::nn::Sequential(
        nn::PointwiseConv(nn::PointwiseConvOptions(shape.in, shape.out).stride(shape.stride).bias(false)));
  return torch::nn::Sequential(
      torch::nn::Conv2d(torch::nn::Conv2dOptions(shape.in, shape.out, 1).stride(shape.stride).bias(false)));
}

/// norm, ReLU, convolution, norm, ReLU, dropout, convolution, plus the input; where channels or stride change, the
/// input goes through a 1x1 convolution behind the first ReLU.
class PreActivationBlock : public torch::nn::Module {
 public:
  PreActivationBlock(const BlockShape& shape, const Convolutions::Make& conv, bool scale_axis, double dropout)
      : before1_(register_module("before1", norm_and_relu(shape.in, scale_axis))),
        conv1_(register_module("conv1", conv(shape.in, shape.out, shape.stride))),
        before2_(register_module("before2", norm_and_relu(shape.out, scale_axis))),
        dropout_(register_module("dropout", nn::Dropout(dropout))),
        conv2_(register_module("conv2", conv(shape.out, shape.out, 1))) {
    if (shape.has_shortcut()) shortcut_ = register_module("shortcut", pointwise(shape, scale_axis));
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
  ResNet16(const ModelOptions& options, const Variant& variant) : options_(options) {
    const auto convolutions = variant.convolutions(options, kResNetKernel);
    const bool scale_axis = variant.maps == Maps::scales;
    scale_step_ = scale_axis ? convolutions.scale_step : 0;
    first_ = register_module("first", convolutions.first(options.in_channels, options.channels[0], 1));
    for (const auto& shape : block_shapes(options.channels))
      blocks_.push_back(register_module(
          shape.name, std::make_shared<PreActivationBlock>(shape, convolutions.other, scale_axis, options.dropout)));
    last_ = register_module("last", norm_and_relu(options.channels.back(), scale_axis));
    scores_ = register_module("scores", torch::nn::Linear(options.channels.back(), options.classes));
    draw_kernels();
  }

  torch::Tensor forward(const torch::Tensor& images) override {
    check_images(options_, images);
    auto maps = first_->forward(images);
    for (auto& block : blocks_) maps = block->forward(maps);
    maps = last_->forward(maps);
    if (maps.dim() == 5) maps = maps.amax(2);
    return scores_->forward(maps.mean({2, 3}));
  }

  std::vector<LayerOutput> features(const torch::Tensor& images) override {
    check_images(options_, images);
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
        const auto inputs = static_cast<double>(conv->weight[0].numel());
        conv->weight.normal_(0, std::sqrt(2 / inputs));
      }
  }

  ModelOptions options_;
  double scale_step_ = 0;
  torch::nn::Sequential first_{nullptr}, last_{nullptr};
  std::vector<std::shared_ptr<PreActivationBlock>> blocks_;
  torch::nn::Linear scores_{nullptr};
};

std::vector<int64_t> plain_channels(double width) {
  std::vector<int64_t> channels;
  for (const int base : {16, 16, 32, 64}) channels.push_back(std::max<int64_t>(1, std::llround(base * width)));
  return channels;
}

ModelOptions resolve_resnet16(ModelOptions options, const Variant& variant) {
  auto known = variant.known_options;
  known.push_back("width");
  refuse_unknown_options(options, known);
  resolve_common(options, {16, 4, "the first convolution and each of the three groups", 0.3});
  require(options.hidden == 0, "hidden: got ", options.hidden, ", model ", options.name, " has no hidden layer");
  if (options.width == 0) options.width = 2;
  variant.resolve(options);
  if (!options.channels.empty()) return options;
  const auto plain = plain_channels(options.width);
  const auto convolutions = variant.convolutions(options, kResNetKernel);
  const auto count = [&](const std::vector<int64_t>& tried) {
    return resnet16_parameters(options, tried, convolutions.first_per_pair, convolutions.per_pair);
  };
  const double target = resnet16_parameters(options, plain, 9, 9);
  options.channels = match_parameters(plain, target, count, convolutions.channel_multiple);
  return options;
}

}  // namespace

double resnet16_parameters(const ModelOptions& options, const std::vector<int64_t>& channels, double first_per_pair,
                           double per_pair) {
  double count = first_per_pair * static_cast<double>(options.in_channels * channels[0]);
  for (const auto& shape : block_shapes(channels)) {
    const auto in = static_cast<double>(shape.in), out = static_cast<double>(shape.out);
    count += per_pair * (in * out + out * out) + (shape.has_shortcut() ? in * out : 0) + 2 * in + 2 * out;
  }
  const auto last = static_cast<double>(channels.back());
  return count + 2 * last + (last + 1) * static_cast<double>(options.classes);
}

ModelEntry resnet16_entry(const Variant& variant) {
  const std::string he = "He et al. 2016";
  return {variant.name, variant.source.empty() ? he : he + ", with the convolutions of " + variant.source,
          variant.symmetry, [=](const ModelOptions& options) { return resolve_resnet16(options, variant); },
          [=](const ModelOptions& options) { return std::make_shared<ResNet16>(options, variant); }};
}

}  // namespace scdcf::models
