// ScDCFNet for the scaled digits (Section 6.3): lifting, two joint convolutions, average pooling, maximum over scale.
#include <torch/nn/modules/activation.h>

#include "scdcf/core/error.h"
#include "scdcf/models/built_in.h"
#include "scdcf/models/scale_options.h"
#include "scdcf/models/skeleton.h"
#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"
#include "scdcf/nn/pooling.h"

namespace scdcf::models {
namespace {

ModelOptions resolve_scdcfnet(ModelOptions options) {
  refuse_unknown_options(options, {"modes", "scale-modes", "scale-taps", "scales", "scale-step", "finest-width",
                                   "scale-padding", "pooling", "basis", "algorithm"});
  resolve_skeleton(options, {32, 64, 96});
  ScaleDefaults defaults;
  // Five scales over one octave; at 56 pixels filters of 6 to 12 do better than those of twice the size at 28.
  defaults.finest_width = options.image_size >= 56 ? 6 : 5;
  resolve_scale_options(options, defaults);
  return options;
}

std::shared_ptr<Network> make_scdcfnet(const ModelOptions& options) {
  const ScaleGrid grid(options.scales, options.scale_step, options.finest_width);
  SkeletonParts parts;
  int64_t in = options.in_channels;
  for (int i = 0; i < 3; ++i) {
    const int64_t out = options.channels[static_cast<size_t>(i)];
    torch::nn::Sequential block;
    // No bias: the batch-norm behind it has one.
    if (i == 0) {
      block->push_back(nn::LiftingConv(nn::LiftingConvOptions(in, out, grid)
                                           .basis(options.basis)
                                           .modes(options.modes)
                                           .bias(false)
                                           .algorithm(algorithm_of(options))));
    } else {
      block->push_back(nn::JointConv(nn::JointConvOptions(in, out, grid)
                                         .basis(options.basis)
                                         .modes(options.modes)
                                         .scale_modes(options.scale_modes)
                                         .scale_taps(options.scale_taps)
                                         .scale_padding(scale_padding_of(options))
                                         .bias(false)
                                         .algorithm(algorithm_of(options))));
    }
    append_scale_block_end(block, out, skeleton_pooling(options.image_size, i), options.pooling);
    parts.blocks.push_back(block);
    in = out;
  }
  parts.project = [](const torch::Tensor& maps) { return maps.amax(2); };
  parts.head_channels = in;
  parts.scale_step = options.scale_step;
  return std::make_shared<SkeletonNetwork>(options, std::move(parts));
}

}  // namespace

ModelEntry scdcfnet_entry() {
  return {"scdcfnet", "Zhu et al. 2022", "scalings and translations, jointly", resolve_scdcfnet, make_scdcfnet};
}

}  // namespace scdcf::models
