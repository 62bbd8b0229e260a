// SEVF, scale equivariance with vector fields (Marcos et al. 2018): of eight sizes of its input each filter keeps the
// strongest response and, as the angle of a vector, the size where it occurred.
#include "scdcf/models/built_in.h"
#include "scdcf/models/scale_options.h"
#include "scdcf/models/skeleton.h"
#include "scdcf/nn/vector_field.h"

namespace scdcf::models {
namespace {

ModelOptions resolve_sevf(ModelOptions options) {
  refuse_unknown_options(options, {"scales", "scale-step"});
  resolve_skeleton(options, {23, 45, 68});
  resolve_scale_set(options, 8, 1.0 / 3);  // 1.26^-4 .. 1.26^3
  return options;
}

std::shared_ptr<Network> make_sevf(const ModelOptions& options) {
  SkeletonParts parts;
  int64_t in = options.in_channels;
  for (int i = 0; i < 3; ++i) {
    const int64_t out = options.channels[static_cast<size_t>(i)];
    const auto pooling = skeleton_pooling(options.image_size, i);
    parts.blocks.push_back(torch::nn::Sequential(
        nn::VectorFieldConv(nn::MultiScaleConvOptions(in, out).scales(options.scales).step(options.scale_step),
                            /*field_input=*/i > 0),
        nn::VectorMaxPool(nn::SpatialPoolOptions(pooling.window).padding(pooling.padding)), nn::VectorBatchNorm(out)));
    in = out;
  }
  parts.project = nn::vector_length;
  parts.head_channels = in;
  parts.centre_head = true;  // lengths have one sign
  return std::make_shared<SkeletonNetwork>(options, std::move(parts));
}

}  // namespace

ModelEntry sevf_entry() {
  return {"sevf", "Marcos et al. 2018", "translations; local scalings turn the vectors of every layer", resolve_sevf,
          make_sevf};
}

}  // namespace scdcf::models
