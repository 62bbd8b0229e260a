// The rival of the joint convolution: one plain CNN on an image pyramid, its weights shared by all levels.
#include <torch/torch.h>

#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/models/built_in.h"
#include "scdcf/models/pyramid.h"
#include "scdcf/nn/dropout.h"
#include "scdcf/nn/norm_relu_pool.h"
#include "scdcf/nn/read_out.h"

namespace scdcf::models {
namespace {

constexpr double kPlainWidth = 7;

/// As JointLevel of scdcfnet_full.cpp, with plain convolutions as wide as its filters; one plane a level.
class PlainLevel : public LevelNetwork {
 public:
  explicit PlainLevel(const ModelOptions& options)
      : replicate_(options.padding == "replicate"), class_kernel_(std::llround(options.class_width)) {
    const int64_t kernel = std::llround(options.finest_width);
    int64_t in = options.in_channels;
    for (size_t i = 0; i < options.channels.size(); ++i) {
      const int64_t out = options.channels[i];
      convolutions_.push_back(register_module("conv" + std::to_string(i + 1), convolution(in, out, kernel)));
      norms_.push_back(register_module(
          "norm" + std::to_string(i + 1),
          nn::NormReluPool(nn::NormReluPoolOptions(out).window(i < 2 ? 2 : 1).keeps_zero(!replicate_))));
      in = out;
    }
    class_layer_ = register_module("class_layer", convolution(in, options.hidden, class_kernel_));
    norm_ = register_module("norm", nn::NormReluPool(nn::NormReluPoolOptions(options.hidden).window(1)));
    dropout_ = register_module("dropout", nn::Dropout(options.dropout));
    scores_ =
        register_module("scores", torch::nn::Conv2d(torch::nn::Conv2dOptions(options.hidden, options.classes, 1)));
  }

  std::vector<LayerOutput> blocks(const torch::Tensor& frames) override {
    std::vector<LayerOutput> outputs;
    torch::Tensor maps = frames;
    for (size_t i = 0; i < convolutions_.size(); ++i) {
      maps = norms_[i](convolutions_[i](maps));
      outputs.push_back({"block " + std::to_string(i + 1), maps.unsqueeze(2)});
    }
    return outputs;
  }

  torch::Tensor hidden(const torch::Tensor& maps, bool at_centre) override {
    const auto plane = maps.squeeze(2);
    return norm_(at_centre ? around_centre(plane) : class_layer_(plane)).unsqueeze(2);
  }

  torch::Tensor scores(const torch::Tensor& hidden) override {
    return scores_(dropout_(hidden).squeeze(2)).unsqueeze(2);
  }

 private:
  torch::nn::Conv2d convolution(int64_t in, int64_t out, int64_t kernel) const {
    auto options = torch::nn::Conv2dOptions(in, out, kernel).padding(kernel / 2).bias(false);
    if (replicate_) options.padding_mode(torch::kReplicate);
    return torch::nn::Conv2d(options);
  }

  /// What the class layer says about the centre: only what its filters see there is convolved.
  torch::Tensor around_centre(const torch::Tensor& maps) {
    const int64_t around = class_kernel_ / 2;
    const int64_t height = maps.size(2), width = maps.size(3), y = (height - 1) / 2, x = (width - 1) / 2;
    if (y < around || x < around || height / 2 + around >= height || width / 2 + around >= width)
      return nn::centre_of(class_layer_(maps)).unsqueeze(-1).unsqueeze(-1);
    const auto seen =
        maps.narrow(2, y - around, height / 2 - y + class_kernel_).narrow(3, x - around, width / 2 - x + class_kernel_);
    return torch::conv2d(seen, class_layer_->weight).mean(c10::IntArrayRef{2, 3}, /*keepdim=*/true);
  }

  bool replicate_;
  int64_t class_kernel_;
  std::vector<torch::nn::Conv2d> convolutions_;
  std::vector<nn::NormReluPool> norms_;
  torch::nn::Conv2d class_layer_{nullptr};
  nn::NormReluPool norm_{nullptr};
  nn::Dropout dropout_{nullptr};
  torch::nn::Conv2d scores_{nullptr};
};

int resolve_plain(ModelOptions& options) {
  resolve_common(options, {12, 3, "each of the blocks, three or more", 0.5, /*or_more=*/true});
  if (options.channels.empty()) options.channels = {16, 32, 48};
  if (options.hidden == 0) options.hidden = 128;
  if (options.finest_width == 0) options.finest_width = kPlainWidth;
  for (const auto& [option, width] :
       {std::pair{"finest_width", options.finest_width}, {"class_width", options.class_width}})
    require(width == 0 || std::fmod(width, 2) == 1, options.name, ": ", option, ": got ", width,
            ", expected an odd number of pixels: its filters are plain ones");
  return 1;
}

}  // namespace

ModelEntry pyramid_cnn_entry() {
  return pyramid_entry({"pyramid-cnn",
                        "image pyramid with shared weights",
                        "scalings, by the pyramid, and translations",
                        {},
                        4 * kPlainWidth,
                        kPlainWidth,
                        resolve_plain,
                        [](const ModelOptions& options, int) -> std::shared_ptr<LevelNetwork> {
                          return std::make_shared<PlainLevel>(options);
                        }});
}

}  // namespace scdcf::models
