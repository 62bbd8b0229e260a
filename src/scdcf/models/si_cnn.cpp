// SI-CNN, the scale-invariant network (Xu et al. 2014): seven columns with rescaled copies of the same kernels, kept
// apart until the maximum over the columns behind the last block.
#include <cmath>

#include "scdcf/models/built_in.h"
#include "scdcf/models/scale_options.h"
#include "scdcf/models/skeleton.h"
#include "scdcf/nn/rescaled_kernel_conv.h"

namespace scdcf::models {
namespace {

ModelOptions resolve_si_cnn(ModelOptions options) {
  refuse_unknown_options(options, {"pooling", "scales", "scale-step"});
  resolve_skeleton(options, {32, 63, 95});
  resolve_scale_set(options, 7, std::log2(10.0 / 3) / 3);  // factors 0.3 .. 1 .. 3.33
  resolve_pooling(options, "max");
  return options;
}

std::shared_ptr<Network> make_si_cnn(const ModelOptions& options) {
  SkeletonParts parts;
  int64_t in = options.in_channels;
  for (int i = 0; i < 3; ++i) {
    const int64_t out = options.channels[static_cast<size_t>(i)];
    torch::nn::Sequential block(
        nn::RescaledKernelConv(nn::MultiScaleConvOptions(in, out).scales(options.scales).step(options.scale_step)));
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

ModelEntry si_cnn_entry() {
  return {"si-cnn", "Xu et al. 2014", "scalings and translations, each column of scale by itself", resolve_si_cnn,
          make_si_cnn};
}

}  // namespace scdcf::models
