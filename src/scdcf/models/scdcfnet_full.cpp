// ScDCFNet that stays equivariant up to the class scores: joint convolutions throughout, the class layer one of them.
#include <torch/torch.h>

#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/models/built_in.h"
#include "scdcf/models/pyramid.h"
#include "scdcf/nn/dropout.h"
#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"
#include "scdcf/nn/norm_relu_pool.h"
#include "scdcf/nn/pointwise_conv.h"
#include "scdcf/nn/read_out.h"

namespace scdcf::models {
namespace {

/// Lifting and two joint convolutions, the first two followed by pooling; the class layer, a joint convolution whose
/// filters span the whole object; scores by a pointwise one. One scale tap everywhere: planes do not meet.
class JointLevel : public LevelNetwork {
 public:
  JointLevel(const ModelOptions& options, int planes) {
    const basis::ScaleGrid grid(planes, options.scale_step, options.finest_width);
    const auto filters = [&](auto conv, int modes) {
      return conv.basis(options.basis)
          .modes(modes)
          .bias(false)
          .padding(options.padding == "replicate" ? nn::SpatialPadding::replicate : nn::SpatialPadding::zero);
    };
    const auto joint = [&](int64_t in, int64_t out, int modes) {
      return nn::JointConv(filters(nn::JointConvOptions(in, out, grid).scale_taps(1), modes));
    };
    const auto& c = options.channels;
    blocks_ = {torch::nn::Sequential(
                   nn::LiftingConv(filters(nn::LiftingConvOptions(options.in_channels, c[0], grid), options.modes)),
                   nn::NormReluPool(nn::NormReluPoolOptions(c[0]).window(2))),
               torch::nn::Sequential(joint(c[0], c[1], options.modes),
                                     nn::NormReluPool(nn::NormReluPoolOptions(c[1]).window(2))),
               torch::nn::Sequential(joint(c[1], c[2], options.modes),
                                     nn::NormReluPool(nn::NormReluPoolOptions(c[2]).window(1)))};
    for (size_t i = 0; i < blocks_.size(); ++i) register_module("block" + std::to_string(i + 1), blocks_[i]);
    class_layer_ = register_module("class_layer", joint(c[2], options.hidden, options.class_modes));
    norm_ = register_module("norm", nn::NormReluPool(nn::NormReluPoolOptions(options.hidden).window(1)));
    dropout_ = register_module("dropout", nn::Dropout(options.dropout));
    scores_ = register_module("scores", nn::PointwiseConv(nn::PointwiseConvOptions(options.hidden, options.classes)));
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

  torch::Tensor hidden(const torch::Tensor& maps, bool at_centre) override {
    return norm_(at_centre ? class_layer_->at_centre(maps).unsqueeze(-1).unsqueeze(-1) : class_layer_(maps));
  }

  torch::Tensor scores(const torch::Tensor& hidden) override { return scores_(dropout_(hidden)); }

 private:
  std::vector<torch::nn::Sequential> blocks_;
  nn::JointConv class_layer_{nullptr};
  nn::NormReluPool norm_{nullptr};
  nn::Dropout dropout_{nullptr};
  nn::PointwiseConv scores_{nullptr};
};

int resolve_joint(ModelOptions& options) {
  resolve_common(options, {12, 3, "each of the three blocks", 0.5});
  if (options.channels.empty()) options.channels = {16, 32, 48};
  if (options.hidden == 0) options.hidden = 128;
  // The highest of 12 modes has four half-waves: 10 pixels sample it with room to spare. After two poolings they span
  // the 28 / 4 pixels of an object at home, so that the class layer sees all of it, although sines vanish at their
  // border.
  if (options.modes == 0) options.modes = 12;
  if (options.class_modes == 0) options.class_modes = 20;
  if (options.finest_width == 0) options.finest_width = 10;
  if (options.span == 0) options.span = 2.8;
  if (options.basis.empty()) options.basis = "sine";
  // Every plane on an image of its own size: no plane is sampled more finely than its filters need.
  if (options.planes_per_level == 0) options.planes_per_level = 1;
  return options.planes_per_level;
}

}  // namespace

ModelEntry scdcfnet_full_entry() {
  return pyramid_entry({"scdcfnet-full",
                        "this project",
                        "scalings and translations, jointly, up to the class scores",
                        {"modes", "class_modes", "basis", "planes_per_level"},
                        resolve_joint,
                        [](const ModelOptions& options, int planes) -> std::shared_ptr<LevelNetwork> {
                          return std::make_shared<JointLevel>(options, planes);
                        }});
}

}  // namespace scdcf::models
