// Options of the layers: chained setters instead of runs of numbers.
//
//   JointConvOptions(32, 64, ScaleGrid(5, 0.25, 5.0)).modes(15).scale_taps(3).bias(false)
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "scdcf/basis/sampled_basis.h"
#include "scdcf/basis/scale_grid.h"
#include "scdcf/core/error.h"
#include "scdcf/ops/joint_conv.h"
#include "scdcf/ops/scale_sources.h"

namespace scdcf::nn {

using ops::Algorithm;
using ops::ScalePadding;
using ops::ScaleSupport;
using ops::SpatialPadding;

/// Declares an option with a default: a setter that can be chained, and a getter of the same name.
#define SCDCF_OPTION(Type, name, ...)          \
 public:                                       \
  Self& name(Type value) {                     \
    name##_ = std::move(value);                \
    return static_cast<Self&>(*this);          \
  }                                            \
  const Type& name() const { return name##_; } \
                                               \
 private:                                      \
  Type name##_ = __VA_ARGS__

/// What every convolution has.
template <class Self>
class ChannelOptions {
 public:
  ChannelOptions(int64_t in_channels, int64_t out_channels) : in_channels_(in_channels), out_channels_(out_channels) {}

  SCDCF_OPTION(int64_t, in_channels, 0);
  SCDCF_OPTION(int64_t, out_channels, 0);
  SCDCF_OPTION(int64_t, stride, 1);  // 1 or 2
  SCDCF_OPTION(bool, bias, true);
};

/// Refuses channels and strides that no convolution has, in the name of the layer.
template <class Options>
void check_channel_options(const char* layer, const ChannelOptions<Options>& options) {
  require(options.in_channels() >= 1, layer, ": in_channels: got ", options.in_channels(), ", expected at least 1");
  require(options.out_channels() >= 1, layer, ": out_channels: got ", options.out_channels(), ", expected at least 1");
  require(options.stride() == 1 || options.stride() == 2, layer, ": stride: got ", options.stride(),
          ", expected 1 or 2");
}

/// What the lifting and the joint convolution have in common.
template <class Self>
class ConvOptions : public ChannelOptions<Self> {
 public:
  ConvOptions(int64_t in_channels, int64_t out_channels, const basis::ScaleGrid& grid)
      : ChannelOptions<Self>(in_channels, out_channels), grid_(grid) {}

  SCDCF_OPTION(basis::ScaleGrid, grid, basis::ScaleGrid(1, 1, 1));
  SCDCF_OPTION(std::string, basis, "sine");  // a name of make_spatial_basis
  SCDCF_OPTION(int, modes, 15);              // K
  SCDCF_OPTION(basis::Sampling, sampling, basis::Sampling::area);
  SCDCF_OPTION(int, max_kernel_size, 0);  // odd; larger filters are cropped; 0: no limit
  SCDCF_OPTION(SpatialPadding, padding, SpatialPadding::zero);
  SCDCF_OPTION(Algorithm, algorithm, Algorithm::automatic);
};

class LiftingConvOptions : public ConvOptions<LiftingConvOptions> {
  using ConvOptions::ConvOptions;
};

/// How a layer reaches across scales.
template <class Self>
class ScaleTapOptions {
  SCDCF_OPTION(int, scale_taps, 1);   // L_alpha; one tap is the special case of Remark 1
  SCDCF_OPTION(int, scale_modes, 0);  // K_alpha; 0 stands for as many as there are taps
  SCDCF_OPTION(ScaleSupport, support, ScaleSupport::one_sided);
  SCDCF_OPTION(ScalePadding, scale_padding, ScalePadding::replicate);
};

class JointConvOptions : public ConvOptions<JointConvOptions>, public ScaleTapOptions<JointConvOptions> {
 public:
  JointConvOptions(int64_t in_channels, int64_t out_channels, const basis::ScaleGrid& grid)
      : ConvOptions<JointConvOptions>(in_channels, out_channels, grid) {
    scale_taps(3);
  }
};

class PointwiseConvOptions : public ChannelOptions<PointwiseConvOptions>, public ScaleTapOptions<PointwiseConvOptions> {
  using ChannelOptions::ChannelOptions;
};

/// A square window in space.
template <class Self>
class WindowOptions {
  SCDCF_OPTION(int64_t, window, 2);
  SCDCF_OPTION(int64_t, stride, 0);  // 0 stands for the window
  SCDCF_OPTION(int64_t, padding, 0);

 public:
  int64_t step() const { return stride_ == 0 ? window_ : stride_; }
};

class SpatialPoolOptions : public WindowOptions<SpatialPoolOptions> {
 public:
  explicit SpatialPoolOptions(int64_t size = 2) { window(size); }
};

enum class UpsampleMode { bilinear, nearest };

const char* name_of(UpsampleMode mode);

class SpatialUpsampleOptions {
  using Self = SpatialUpsampleOptions;

 public:
  SpatialUpsampleOptions(int64_t factor = 2) : factor_(factor) {}  // implicit, as torch's of one number are

  SCDCF_OPTION(int64_t, factor, 2);
  SCDCF_OPTION(UpsampleMode, mode, UpsampleMode::bilinear);
};

/// Batch-norm and ReLU, then average pooling; a window of 1 leaves the pooling out.
class NormReluPoolOptions : public WindowOptions<NormReluPoolOptions> {
  using Self = NormReluPoolOptions;

 public:
  explicit NormReluPoolOptions(int64_t channels) : channels_(channels) {}

  SCDCF_OPTION(int64_t, channels, 0);
  SCDCF_OPTION(double, eps, 1e-5);
  SCDCF_OPTION(double, momentum, 0.1);    // share of the batch in the running statistics
  SCDCF_OPTION(bool, keeps_zero, false);  // takes off what is made of zero
};

/// A pre-activation residual block; `conv` describes its first convolution, the second keeps the channels.
class ResidualBlockOptions {
  using Self = ResidualBlockOptions;

 public:
  explicit ResidualBlockOptions(JointConvOptions conv) : conv_(std::move(conv)) {}

  SCDCF_OPTION(JointConvOptions, conv, JointConvOptions(1, 1, basis::ScaleGrid(1, 1, 1)));
  SCDCF_OPTION(double, dropout, 0.0);  // between the two convolutions
  SCDCF_OPTION(bool, keeps_zero, false);
};

}  // namespace scdcf::nn
