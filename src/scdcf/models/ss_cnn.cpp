// SS-CNN, scale-steerable filters (Ghosh and Gupta 2019): LSI-CNN's idea with kernels of several sizes steered from one
// set of log-radial harmonics, the maximum over the sizes taken in every layer.
#include <cmath>

#include "scdcf/models/built_in.h"
#include "scdcf/models/scale_options.h"
#include "scdcf/models/skeleton.h"
#include "scdcf/nn/lifting_conv.h"
#include "scdcf/nn/pooling.h"

namespace scdcf::models {
namespace {

ModelOptions resolve_ss_cnn(ModelOptions options) {
  refuse_unknown_options(options, {"pooling", "modes", "scales", "scale-step", "finest-width"});
  resolve_skeleton(options, {30, 60, 90});
  if (options.modes == 0) options.modes = 54;
  // Kernels of 5, 7, .. 13 pixels for 28x28 images, 7, 9, .. 17 for 56x56: the sizes of these geometric widths.
  const bool large = options.image_size >= 56;
  if (options.finest_width == 0) options.finest_width = large ? 7 : 5;
  resolve_scale_set(options, large ? 6 : 5, large ? std::log2(17.0 / 7) / 5 : std::log2(13.0 / 5) / 4);
  resolve_pooling(options, "max");
  return options;
}

std::shared_ptr<Network> make_ss_cnn(const ModelOptions& options) {
  const basis::ScaleGrid grid(options.scales, options.scale_step, options.finest_width);
  SkeletonParts parts;
  int64_t in = options.in_channels;
  for (int i = 0; i < 3; ++i) {
    const int64_t out = options.channels[static_cast<size_t>(i)];
    torch::nn::Sequential block(
        nn::LiftingConv(nn::LiftingConvOptions(in, out, grid).basis("log-radial").modes(options.modes)),
        nn::ScaleMaxProjection());
    append_map_block_end(block, options, i);
    parts.blocks.push_back(block);
    in = out;
  }
  parts.head_channels = in;
  return std::make_shared<SkeletonNetwork>(options, std::move(parts));
}

}  // namespace

ModelEntry ss_cnn_entry() {
  return {"ss-cnn", "Ghosh and Gupta 2019", "translations; each layer invariant to local scalings", resolve_ss_cnn,
          make_ss_cnn};
}

}  // namespace scdcf::models
