// DSS, deep scale-spaces (Worrall and Welling 2019): the image lifted by Gaussian blurs, kernels dilated by powers of
// two.
#include "scdcf/models/built_in.h"
#include "scdcf/models/resnet16.h"
#include "scdcf/models/skeleton.h"
#include "scdcf/nn/scale_space.h"

namespace scdcf::models {
namespace {

Convolutions dss_convolutions(const ModelOptions& options, const Kernel& kernel) {
  const auto conv = [=](int64_t in, int64_t out, int64_t stride) {
    return nn::DilatedScaleConv(
        nn::DilatedScaleConvOptions(in, out).kernel_size(kernel.size).scale_taps(options.scale_taps).stride(stride));
  };
  const auto first = [=](int64_t in, int64_t out, int64_t stride) {
    return torch::nn::Sequential(nn::ScaleSpaceLifting(options.scales), conv(in, out, stride));
  };
  const auto other = [=](int64_t in, int64_t out, int64_t stride) {
    return torch::nn::Sequential(conv(in, out, stride));
  };
  const auto per_pair = static_cast<double>(kernel.size * kernel.size * options.scale_taps);
  return {first, other, per_pair, per_pair, /*scale_step=*/1};
}

Variant dss_variant(const char* name, const std::string& shrinking) {
  return {name,
          "Worrall and Welling 2019",
          "translations and shrinking by powers of two, jointly, between " + shrinking,
          Maps::scales,
          {"scales", "scale_taps"},
          [](ModelOptions& options) {
            if (options.scales == 0) options.scales = 2;
            if (options.scale_taps == 0) options.scale_taps = 1;
          },
          dss_convolutions};
}

}  // namespace

ModelEntry dss_entry() { return skeleton_entry(dss_variant("dss", "poolings"), skeleton_channels()); }

ModelEntry resnet16_dss_entry() { return resnet16_entry(dss_variant("resnet16-dss", "strides")); }

}  // namespace scdcf::models
