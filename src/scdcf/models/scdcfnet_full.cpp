// Networks that stay equivariant up to the class scores: joint convolutions throughout, the class layer one of them.
#include <torch/torch.h>

#include "scdcf/models/built_in.h"
#include "scdcf/models/pyramid.h"
#include "scdcf/nn/dropout.h"
#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"
#include "scdcf/nn/norm_relu_pool.h"
#include "scdcf/nn/pointwise_conv.h"
#include "scdcf/nn/pooling.h"
#include "scdcf/nn/residual_block.h"

namespace scdcf::models {
namespace {

/// The convolutions that options describe, and what all networks of this kind end with: the class layer, a joint
/// convolution whose filters span the whole object, and a pointwise one. One scale tap everywhere: planes do not meet.
class JointLevel : public LevelNetwork {
 public:
  torch::Tensor hidden(const torch::Tensor& maps, bool at_centre) override {
    return norm_(at_centre ? class_layer_->at_centre(maps).unsqueeze(-1).unsqueeze(-1) : class_layer_(maps));
  }
  torch::Tensor scores(const torch::Tensor& hidden) override { return scores_(dropout_(hidden)); }

 protected:
  JointLevel(const ModelOptions& options, int planes)
      : options_(options), grid_(planes, options.scale_step, options.finest_width) {
    const basis::ScaleGrid whole_object(planes, options.scale_step, options.class_width);
    class_layer_ = register_module(
        "class_layer",
        nn::JointConv(joint(options.channels.back(), options.hidden, whole_object).modes(options.class_modes)));
    norm_ = register_module("norm", nn::NormReluPool(nn::NormReluPoolOptions(options.hidden).window(1)));
    dropout_ = register_module("dropout", nn::Dropout(options.dropout));
    scores_ = register_module("scores", nn::PointwiseConv(nn::PointwiseConvOptions(options.hidden, options.classes)));
  }

  nn::LiftingConvOptions lifting(int64_t out) const {
    return filters(nn::LiftingConvOptions(options_.in_channels, out, grid_));
  }
  nn::JointConvOptions joint(int64_t in, int64_t out) const { return joint(in, out, grid_); }

 private:
  nn::JointConvOptions joint(int64_t in, int64_t out, const basis::ScaleGrid& grid) const {
    return filters(nn::JointConvOptions(in, out, grid).scale_taps(1));
  }
  template <class Options>
  Options filters(Options conv) const {
    return conv.basis(options_.basis)
        .modes(options_.modes)
        .bias(false)
        .padding(options_.padding == "replicate" ? nn::SpatialPadding::replicate : nn::SpatialPadding::zero);
  }

  ModelOptions options_;
  basis::ScaleGrid grid_;
  nn::JointConv class_layer_{nullptr};
  nn::NormReluPool norm_{nullptr};
  nn::Dropout dropout_{nullptr};
  nn::PointwiseConv scores_{nullptr};
};

/// Lifting and two joint convolutions or more, the first two followed by pooling.
class PlainBlocks : public JointLevel {
 public:
  PlainBlocks(const ModelOptions& options, int planes) : JointLevel(options, planes) {
    const auto& c = options.channels;
    const auto end = [&](int64_t channels, int64_t window) {
      return nn::NormReluPool(nn::NormReluPoolOptions(channels).window(window).keeps_zero(options.padding == "black"));
    };
    blocks_.emplace_back(nn::LiftingConv(lifting(c[0])), end(c[0], 2));
    for (size_t i = 1; i < c.size(); ++i)
      blocks_.emplace_back(nn::JointConv(joint(c[i - 1], c[i])), end(c[i], i < 2 ? 2 : 1));
    for (size_t i = 0; i < blocks_.size(); ++i) register_module("block" + std::to_string(i + 1), blocks_[i]);
  }

  std::vector<LayerOutput> blocks(const torch::Tensor& frames) override {
    std::vector<LayerOutput> outputs;
    torch::Tensor maps = frames;
    for (auto& block : blocks_) {
      maps = block->forward(maps);
      outputs.push_back({"block " + std::to_string(outputs.size() + 1), maps});
    }
    return outputs;
  }

 private:
  std::vector<torch::nn::Sequential> blocks_;
};

/// Lifting, then three groups of residual blocks with pooling between them: as deep as ResNet-16. Averages instead of
/// strides, which would move the centre by a part of a pixel.
class ResidualBlocks : public JointLevel {
 public:
  ResidualBlocks(const ModelOptions& options, int planes) : JointLevel(options, planes) {
    const auto& c = options.channels;
    const bool black = options.padding == "black";
    first_ = register_module("first", nn::LiftingConv(lifting(c[0])));
    for (size_t group = 1; group < c.size(); ++group) {
      torch::nn::Sequential blocks;
      if (group > 1) blocks->push_back(nn::SpatialAvgPool(nn::SpatialPoolOptions(2)));
      for (int i = 0; i < kBlocks; ++i)
        blocks->push_back(nn::ResidualBlock(
            nn::ResidualBlockOptions(joint(i == 0 ? c[group - 1] : c[group], c[group])).keeps_zero(black)));
      groups_.push_back(register_module("group" + std::to_string(group), blocks));
    }
    last_ = register_module("last", nn::NormReluPool(nn::NormReluPoolOptions(c.back()).window(1).keeps_zero(black)));
  }

  std::vector<LayerOutput> blocks(const torch::Tensor& frames) override {
    torch::Tensor maps = first_(frames);
    std::vector<LayerOutput> outputs = {{"first convolution", maps}};
    for (auto& group : groups_) {
      maps = group->forward(maps);
      if (outputs.size() == groups_.size()) maps = last_(maps);
      outputs.push_back({"group " + std::to_string(outputs.size()), maps});
    }
    return outputs;
  }

 private:
  static constexpr int kBlocks = 2;  // in each group
  nn::LiftingConv first_{nullptr};
  std::vector<torch::nn::Sequential> groups_;
  nn::NormReluPool last_{nullptr};
};

/// What the filters of a network are where options leave it open.
struct Filters {
  int modes;
  double width;
  double home;  ///< pixels across an object at home
  /// After two poolings filters one pixel wider than the object see all of it: sines vanish at their border.
  double class_width() const { return home / 4 + 1; }
};

int resolve_joint(ModelOptions& options, const std::vector<int64_t>& channels, const Filters& filters,
                  const CommonLimits& limits) {
  resolve_common(options, limits);
  if (options.channels.empty()) options.channels = channels;
  if (options.hidden == 0) options.hidden = 128;
  if (options.modes == 0) options.modes = filters.modes;
  if (options.class_modes == 0) options.class_modes = 20;
  if (options.finest_width == 0) options.finest_width = filters.width;
  if (options.basis.empty()) options.basis = "sine";
  // Every plane on an image of its own size: no plane is sampled more finely than its filters need.
  if (options.planes_per_level == 0) options.planes_per_level = 1;
  return options.planes_per_level;
}

template <class Blocks>
ModelEntry joint_entry(const char* name, const std::vector<int64_t>& channels, const Filters& filters,
                       const CommonLimits& limits) {
  return pyramid_entry({name,
                        "this project",
                        "scalings and translations, jointly, up to the class scores",
                        {"modes", "class_modes", "basis", "planes_per_level"},
                        filters.home,
                        filters.class_width(),
                        [=](ModelOptions& options) { return resolve_joint(options, channels, filters, limits); },
                        [](const ModelOptions& options, int planes) -> std::shared_ptr<LevelNetwork> {
                          return std::make_shared<Blocks>(options, planes);
                        }});
}

}  // namespace

ModelEntry scdcfnet_full_entry() {
  // Two half-waves in 5 pixels: finer modes are misled by detail that was not in what they learned from.
  const Filters filters{/*modes=*/4, /*width=*/5, /*home=*/32};
  return joint_entry<PlainBlocks>("scdcfnet-full", {16, 32, 48}, filters,
                                  {12, 3, "each of the blocks, three or more", 0.35, /*or_more=*/true});
}

ModelEntry resnet16_full_entry() {
  const Filters filters{/*modes=*/10, /*width=*/8, /*home=*/28};
  return joint_entry<ResidualBlocks>("resnet16-full", {16, 16, 32, 64}, filters,
                                     {12, 4, "the first convolution and each group", 0.5});
}

}  // namespace scdcf::models
