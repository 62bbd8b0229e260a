// What tells the networks of the comparison apart: how they convolve. The rest of a network is the skeleton's (scaled
// digits, skeleton.h) or that of ResNet-16 (natural images, resnet16.h).
#pragma once

#include <torch/nn/modules/container/sequential.h>

#include <functional>
#include <string>
#include <vector>

#include "scdcf/models/options.h"

namespace scdcf::models {

/// What lies between the convolutions of a network.
enum class Maps {
  plain,   ///< [N, C, H, W]
  scales,  ///< [N, C, S, H, W]
  vectors  ///< [N, 2C, H, W], the fields of nn/vector_field.h
};

/// What the network around them asks of its convolutions.
struct Kernel {
  int64_t size = 7;  ///< in pixels, where a convolution has one size or grows from one
  bool bias = true;  ///< a convolution that never has one leaves it out all the same
};

struct Convolutions {
  using Make = std::function<torch::nn::Sequential(int64_t in, int64_t out, int64_t stride)>;
  Make first;                 ///< from images [N, C, H, W]; its stride is 1
  Make other;                 ///< between maps
  double first_per_pair = 0;  ///< coefficients for each pair of channels
  double per_pair = 0;
  double scale_step = 0;         ///< octaves between the planes of Maps::scales
  int64_t channel_multiple = 1;  ///< channels that they take without waste come in such numbers
};

struct Variant {
  std::string name, source, symmetry;
  Maps maps = Maps::plain;
  std::vector<std::string> known_options;      ///< those of refuse_unknown_options that it has
  std::function<void(ModelOptions&)> resolve;  ///< checks these and fills them in
  std::function<Convolutions(const ModelOptions&, const Kernel&)> convolutions;
};

}  // namespace scdcf::models
