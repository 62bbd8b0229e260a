// DSS, deep scale-spaces (Worrall and Welling 2019): the image lifted by Gaussian blurs, kernels dilated by powers of
// two.
#include "scdcf/models/built_in.h"
#include "scdcf/models/scale_options.h"
#include "scdcf/models/skeleton.h"
#include "scdcf/nn/scale_space.h"

namespace scdcf::models {
namespace {

ModelOptions resolve_dss(ModelOptions options) {
  refuse_unknown_options(options, {"pooling", "scales", "scale-taps"});
  resolve_skeleton(options, {32, 63, 95});
  if (options.scale_taps == 0) options.scale_taps = 1;
  if (options.scales == 0) options.scales = 2;
  resolve_pooling(options, "max");
  return options;
}

std::shared_ptr<Network> make_dss(const ModelOptions& options) {
  SkeletonParts parts;
  int64_t in = options.in_channels;
  for (int i = 0; i < 3; ++i) {
    const int64_t out = options.channels[static_cast<size_t>(i)];
    torch::nn::Sequential block;
    if (i == 0) block->push_back(nn::ScaleSpaceLifting(options.scales));
    block->push_back(nn::DilatedScaleConv(nn::DilatedScaleConvOptions(in, out).scale_taps(options.scale_taps)));
    append_scale_block_end(block, out, skeleton_pooling(options.image_size, i), options.pooling);
    parts.blocks.push_back(block);
    in = out;
  }
  parts.project = [](const torch::Tensor& maps) { return maps.amax(2); };
  parts.head_channels = in;
  parts.scale_step = 1;
  return std::make_shared<SkeletonNetwork>(options, std::move(parts));
}

}  // namespace

ModelEntry dss_entry() {
  return {"dss", "Worrall and Welling 2019", "translations and shrinking by powers of two, jointly, between poolings",
          resolve_dss, make_dss};
}

}  // namespace scdcf::models
