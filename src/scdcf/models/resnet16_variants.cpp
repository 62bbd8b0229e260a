// ResNet-16 with the convolution of every network of the comparison. Kernels have the 3x3 pixels of the plain one, or
// span 3 to 7 where they come in several sizes.
#include <torch/nn/modules/conv.h>

#include "scdcf/models/built_in.h"
#include "scdcf/models/resnet16.h"
#include "scdcf/models/scale_options.h"
#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"
#include "scdcf/nn/local_scale_conv.h"
#include "scdcf/nn/pooling.h"
#include "scdcf/nn/rescaled_kernel_conv.h"
#include "scdcf/nn/scale_space.h"

namespace scdcf::models {
namespace {

using torch::nn::Sequential;

nn::MultiScaleConvOptions multi_scale(const ModelOptions& options, int64_t in, int64_t out, int64_t stride) {
  return nn::MultiScaleConvOptions(in, out)
      .kernel_size(3)
      .scales(options.scales)
      .step(options.scale_step)
      .stride(stride)
      .bias(false);
}

ResNetConvs plain_convs(const ModelOptions&) {
  const auto make = [](int64_t in, int64_t out, int64_t stride) {
    return Sequential(torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 3).stride(stride).padding(1).bias(false)));
  };
  return {make, make};
}

ResNetConvs lsi_convs(const ModelOptions& options) {
  const auto make = [options](int64_t in, int64_t out, int64_t stride) {
    return Sequential(nn::LocalScaleConv(multi_scale(options, in, out, stride)));
  };
  return {make, make};
}

ResNetConvs si_convs(const ModelOptions& options) {
  const auto make = [options](int64_t in, int64_t out, int64_t stride) {
    return Sequential(nn::RescaledKernelConv(multi_scale(options, in, out, stride)));
  };
  return {make, make, 9, 9, /*scale_axis=*/true, options.scale_step};
}

ResNetConvs ss_convs(const ModelOptions& options) {
  const auto make = [options](int64_t in, int64_t out, int64_t stride) {
    const basis::ScaleGrid grid(options.scales, options.scale_step, options.finest_width);
    return Sequential(
        nn::LiftingConv(
            nn::LiftingConvOptions(in, out, grid).basis("log-radial").modes(options.modes).stride(stride).bias(false)),
        nn::ScaleMaxProjection());
  };
  const auto modes = static_cast<double>(options.modes);
  return {make, make, modes, modes};
}

ResNetConvs dss_convs(const ModelOptions& options) {
  const auto conv = [options](int64_t in, int64_t out, int64_t stride) {
    return nn::DilatedScaleConv(
        nn::DilatedScaleConvOptions(in, out).kernel_size(3).scale_taps(options.scale_taps).stride(stride));
  };
  const auto first = [conv, options](int64_t in, int64_t out, int64_t stride) {
    return Sequential(nn::ScaleSpaceLifting(options.scales), conv(in, out, stride));
  };
  const auto other = [conv](int64_t in, int64_t out, int64_t stride) { return Sequential(conv(in, out, stride)); };
  const double per_pair = 9.0 * options.scale_taps;
  return {first, other, per_pair, per_pair, /*scale_axis=*/true, 1};
}

ResNetConvs expanded_convs(const ModelOptions& options, basis::Sampling sampling) {
  const basis::ScaleGrid grid(options.scales, options.scale_step, options.finest_width);
  const auto first = [=](int64_t in, int64_t out, int64_t stride) {
    return Sequential(nn::LiftingConv(nn::LiftingConvOptions(in, out, grid)
                                          .basis(options.basis)
                                          .modes(options.modes)
                                          .sampling(sampling)
                                          .stride(stride)
                                          .bias(false)
                                          .algorithm(algorithm_of(options))));
  };
  const auto other = [=](int64_t in, int64_t out, int64_t stride) {
    return Sequential(nn::JointConv(nn::JointConvOptions(in, out, grid)
                                        .basis(options.basis)
                                        .modes(options.modes)
                                        .scale_modes(options.scale_modes)
                                        .scale_taps(options.scale_taps)
                                        .scale_padding(scale_padding_of(options))
                                        .sampling(sampling)
                                        .stride(stride)
                                        .bias(false)
                                        .algorithm(algorithm_of(options))));
  };
  const auto modes = static_cast<double>(options.modes);
  return {first, other, modes, modes * options.scale_modes, /*scale_axis=*/true, options.scale_step};
}

std::vector<std::string> expanded_options() {
  return {"modes",        "scale-modes",   "scale-taps", "scales",   "scale-step",
          "finest-width", "scale-padding", "basis",      "algorithm"};
}

/// Pooling is left alone: there is none to choose.
void resolve_expanded(ModelOptions& options, const ScaleDefaults& defaults) {
  resolve_scale_options(options, defaults);
  options.pooling.clear();
}

/// Three scales over one octave, two taps (Section 6.3).
ScaleDefaults natural_defaults() {
  ScaleDefaults defaults;
  defaults.scales = 3;
  defaults.scale_step = 0.5;
  defaults.finest_width = 3.5;
  defaults.scale_taps = 2;
  defaults.scale_modes = 2;
  return defaults;
}

}  // namespace

std::vector<ModelEntry> resnet16_entries() {
  const std::string he = "He et al. 2016, with the convolutions of ";
  std::vector<ModelEntry> entries;
  entries.push_back(resnet16_entry({"resnet16", "He et al. 2016", "translations", {}, [](auto&) {}, plain_convs}));
  entries.push_back(resnet16_entry({"resnet16-lsi",
                                    he + "Kanazawa et al. 2014",
                                    "translations; each layer invariant to local scalings",
                                    {"scales", "scale-step"},
                                    [](auto& options) { resolve_scale_set(options, 3, 0.5); },
                                    lsi_convs}));
  entries.push_back(resnet16_entry({"resnet16-si",
                                    he + "Xu et al. 2014",
                                    "scalings and translations, each column of scale by itself",
                                    {"scales", "scale-step"},
                                    [](auto& options) { resolve_scale_set(options, 3, 0.5); },
                                    si_convs}));
  entries.push_back(resnet16_entry({"resnet16-ss",
                                    he + "Ghosh and Gupta 2019",
                                    "translations; each layer invariant to local scalings",
                                    {"modes", "scales", "scale-step", "finest-width"},
                                    [](auto& options) {
                                      resolve_scale_set(options, 3, 0.6);
                                      if (options.modes == 0) options.modes = 24;
                                      if (options.finest_width == 0) options.finest_width = 3;
                                    },
                                    ss_convs}));
  entries.push_back(resnet16_entry({"resnet16-dss",
                                    he + "Worrall and Welling 2019",
                                    "translations and shrinking by powers of two, jointly, between strides",
                                    {"scales", "scale-taps"},
                                    [](auto& options) {
                                      if (options.scales == 0) options.scales = 2;
                                      if (options.scale_taps == 0) options.scale_taps = 1;
                                    },
                                    dss_convs}));
  entries.push_back(resnet16_entry(
      {"resnet16-sesn", he + "Sosnovik et al. 2020",
       "scalings and translations, jointly, up to what leaks in at the ends of scale", expanded_options(),
       [](auto& options) {
         auto defaults = natural_defaults();
         defaults.modes = 9;
         defaults.basis = "sesn-96";
         defaults.scale_padding = "zero";
         resolve_expanded(options, defaults);
       },
       [](const auto& options) { return expanded_convs(options, basis::Sampling::point); }}));
  entries.push_back(resnet16_entry(
      {"resnet16-scdcf", he + "Zhu et al. 2022", "scalings and translations, jointly", expanded_options(),
       [](auto& options) {
         auto defaults = natural_defaults();
         defaults.modes = 8;
         resolve_expanded(options, defaults);
       },
       [](const auto& options) { return expanded_convs(options, basis::Sampling::area); }}));
  return entries;
}

}  // namespace scdcf::models
