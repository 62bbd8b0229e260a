// The plain network that all others are compared with: 7x7 convolutions, 494,549 parameters for 28x28 digits.
#include <torch/nn/modules/conv.h>

#include "scdcf/models/built_in.h"
#include "scdcf/models/skeleton.h"

namespace scdcf::models {
namespace {

ModelOptions resolve_cnn(ModelOptions options) {
  refuse_unknown_options(options, {"pooling"});
  resolve_pooling(options, "max");
  resolve_skeleton(options, {32, 63, 95});
  return options;
}

std::shared_ptr<Network> make_cnn(const ModelOptions& options) {
  SkeletonParts parts;
  int64_t in = options.in_channels;
  for (int i = 0; i < 3; ++i) {
    const int64_t out = options.channels[static_cast<size_t>(i)];
    torch::nn::Sequential block(torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 7).padding(3)));
    append_map_block_end(block, options, i);
    parts.blocks.push_back(block);
    in = out;
  }
  parts.head_channels = in;
  return std::make_shared<SkeletonNetwork>(options, std::move(parts));
}

}  // namespace

ModelEntry cnn_entry() { return {"cnn", "the usual convolutional network", "translations", resolve_cnn, make_cnn}; }

}  // namespace scdcf::models
