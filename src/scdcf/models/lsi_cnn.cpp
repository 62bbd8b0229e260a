// LSI-CNN, the locally scale-invariant network (Kanazawa, Sharma and Jacobs 2014): the CNN whose every convolution
// keeps the strongest response over seven sizes of its input.
#include <cmath>

#include "scdcf/models/built_in.h"
#include "scdcf/models/scale_options.h"
#include "scdcf/models/skeleton.h"
#include "scdcf/nn/local_scale_conv.h"

namespace scdcf::models {
namespace {

ModelOptions resolve_lsi_cnn(ModelOptions options) {
  refuse_unknown_options(options, {"pooling", "scales", "scale-step"});
  resolve_skeleton(options, {32, 63, 95});
  resolve_scale_set(options, 7, std::log2(10.0 / 3) / 3);  // factors 0.3 .. 1 .. 3.33
  resolve_pooling(options, "max");
  return options;
}

std::shared_ptr<Network> make_lsi_cnn(const ModelOptions& options) {
  SkeletonParts parts;
  int64_t in = options.in_channels;
  for (int i = 0; i < 3; ++i) {
    const int64_t out = options.channels[static_cast<size_t>(i)];
    torch::nn::Sequential block(
        nn::LocalScaleConv(nn::MultiScaleConvOptions(in, out).scales(options.scales).step(options.scale_step)));
    append_map_block_end(block, options, i);
    parts.blocks.push_back(block);
    in = out;
  }
  parts.head_channels = in;
  return std::make_shared<SkeletonNetwork>(options, std::move(parts));
}

}  // namespace

ModelEntry lsi_cnn_entry() {
  return {"lsi-cnn", "Kanazawa et al. 2014", "translations; each layer invariant to local scalings", resolve_lsi_cnn,
          make_lsi_cnn};
}

}  // namespace scdcf::models
