#include "scdcf/models/expanded_skeleton.h"

#include "scdcf/models/scale_options.h"
#include "scdcf/models/skeleton.h"
#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"

namespace scdcf::models {

std::shared_ptr<Network> make_expanded_skeleton(const ModelOptions& options, const ExpandedStyle& style) {
  const basis::ScaleGrid grid(options.scales, options.scale_step, options.finest_width);
  SkeletonParts parts;
  int64_t in = options.in_channels;
  for (int i = 0; i < 3; ++i) {
    const int64_t out = options.channels[static_cast<size_t>(i)];
    torch::nn::Sequential block;
    if (i == 0) {
      block->push_back(nn::LiftingConv(nn::LiftingConvOptions(in, out, grid)
                                           .basis(options.basis)
                                           .modes(options.modes)
                                           .sampling(style.sampling)
                                           .bias(style.bias)
                                           .algorithm(algorithm_of(options))));
    } else {
      block->push_back(nn::JointConv(nn::JointConvOptions(in, out, grid)
                                         .basis(options.basis)
                                         .modes(options.modes)
                                         .sampling(style.sampling)
                                         .scale_modes(options.scale_modes)
                                         .scale_taps(options.scale_taps)
                                         .scale_padding(scale_padding_of(options))
                                         .bias(style.bias)
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

}  // namespace scdcf::models
