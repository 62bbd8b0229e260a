// ResNet-16 for natural images (Section 6.3, STL-10): a first convolution, three groups of two pre-activation blocks at
// strides 1, 2, 2, batch-norm, ReLU, maximum over scale where there is that axis, global average, class scores. Only
// the convolutions differ between its variants.
#pragma once

#include <torch/nn/modules/container/sequential.h>

#include <functional>

#include "scdcf/models/network.h"
#include "scdcf/models/options.h"
#include "scdcf/models/registry.h"

namespace scdcf::models {

/// The convolutions of a variant, none with a bias.
struct ResNetConvs {
  using Maker = std::function<torch::nn::Sequential(int64_t in, int64_t out, int64_t stride)>;
  Maker first;                ///< from images [N, C, H, W]; its stride is 1
  Maker other;                ///< between maps
  double first_per_pair = 9;  ///< coefficients for each pair of channels
  double per_pair = 9;
  bool scale_axis = false;  ///< maps are [N, C, S, H, W] instead of [N, C, H, W]
  double scale_step = 0;
};

/// What makes a variant: its own options (checked and filled in) and the convolutions they describe.
struct ResNetVariant {
  std::string name, source, symmetry;
  std::vector<std::string> known_options;
  std::function<void(ModelOptions&)> resolve;
  std::function<ResNetConvs(const ModelOptions&)> convs;
};

/// The registry entry of a variant. Where its channels are left open, they are chosen to give it the parameters of the
/// plain network of the same `width`, whose channels are 16, 16, 32, 64 times the width.
ModelEntry resnet16_entry(ResNetVariant variant);

/// Parameters with these channels (first convolution, groups 1 to 3) and coefficients for each pair.
double resnet16_parameters(const ModelOptions& options, const std::vector<int64_t>& channels, double first_per_pair,
                           double per_pair);

}  // namespace scdcf::models
