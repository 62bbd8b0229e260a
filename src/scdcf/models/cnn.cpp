// The plain networks that all others are compared with: 7x7 convolutions, 494,549 parameters for 28x28 digits, and
// ResNet-16 itself, 3x3.
#include <torch/nn/modules/conv.h>

#include "scdcf/models/built_in.h"
#include "scdcf/models/resnet16.h"
#include "scdcf/models/skeleton.h"

namespace scdcf::models {
namespace {

Convolutions plain_convolutions(const ModelOptions&, const Kernel& kernel) {
  const auto make = [=](int64_t in, int64_t out, int64_t stride) {
    return torch::nn::Sequential(torch::nn::Conv2d(
        torch::nn::Conv2dOptions(in, out, kernel.size).stride(stride).padding(kernel.size / 2).bias(kernel.bias)));
  };
  const auto pixels = static_cast<double>(kernel.size * kernel.size);
  return {make, make, pixels, pixels};
}

Variant plain_variant(const char* name, const char* source) {
  return {name, source, "translations", Maps::plain, {}, [](ModelOptions&) {}, plain_convolutions};
}

}  // namespace

ModelEntry cnn_entry() {
  return skeleton_entry(plain_variant("cnn", "the usual convolutional network"), skeleton_channels());
}

ModelEntry resnet16_plain_entry() { return resnet16_entry(plain_variant("resnet16", "")); }

}  // namespace scdcf::models
