// Pooling of scale features [N, C, S, H, W] in space, projection along scale, upsampling for decoders.
#pragma once

#include <torch/nn/cloneable.h>
#include <torch/nn/modules/common.h>
#include <torch/nn/modules/container/any_value.h>
#include <torch/nn/pimpl.h>

#include "scdcf/core/error.h"
#include "scdcf/nn/batch_norm.h"
#include "scdcf/nn/options.h"

namespace scdcf::nn {

/// Refuses invalid windows, strides and paddings; `layer` names the layer in the message.
template <class Self>
void check_window(const WindowOptions<Self>& options, const char* layer) {
  require(options.window() >= 1, layer, ": window: got ", options.window(), ", expected at least 1");
  require(options.stride() >= 0, layer, ": stride: got ", options.stride(),
          ", expected at least 1, or 0 for the window");
  require(options.padding() >= 0 && 2 * options.padding() <= options.window(), layer, ": padding: got ",
          options.padding(), ", expected 0 to half the window of ", options.window());
}

/// Section 5.4: one mean and variance per channel over (N, S, H, W); a mean per scale would break equivariance.
using ScaleBatchNorm = BatchNorm;
using ScaleBatchNormOptions = torch::nn::BatchNormOptions;

/// Average over a square window in space, each scale by itself. Padding is left out of the average.
class SpatialAvgPoolImpl : public torch::nn::Cloneable<SpatialAvgPoolImpl> {
 public:
  explicit SpatialAvgPoolImpl(SpatialPoolOptions options = SpatialPoolOptions());
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);
  SpatialPoolOptions options;
};
TORCH_MODULE(SpatialAvgPool);

/// Maximum over a square window in space, each scale by itself.
class SpatialMaxPoolImpl : public torch::nn::Cloneable<SpatialMaxPoolImpl> {
 public:
  explicit SpatialMaxPoolImpl(SpatialPoolOptions options = SpatialPoolOptions());
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);
  SpatialPoolOptions options;
};
TORCH_MODULE(SpatialMaxPool);

/// Maximum along scale, [N, C, S, H, W] to [N, C, H, W]: the scale-invariant features of Section 5.3.
class ScaleMaxProjectionImpl : public torch::nn::Cloneable<ScaleMaxProjectionImpl> {
 public:
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);
};
TORCH_MODULE(ScaleMaxProjection);

/// Mean along scale, [N, C, S, H, W] to [N, C, H, W].
class ScaleMeanProjectionImpl : public torch::nn::Cloneable<ScaleMeanProjectionImpl> {
 public:
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);
};
TORCH_MODULE(ScaleMeanProjection);

/// Maps enlarged by a whole factor in space, each scale by itself, for decoders: SpatialUpsample, then JointConv.
///
/// Output pixel p lies at (p + 1/2) / factor - 1/2 of the input, as it does after an average or a maximum over windows
/// of `factor` pixels. So maps line up with those from before the pooling, whose size, where it is no multiple of the
/// factor, forward takes as [H', W']; at the far end the border pixel is repeated, or what is too much is cut off.
class SpatialUpsampleImpl : public torch::nn::Cloneable<SpatialUpsampleImpl> {
 public:
  explicit SpatialUpsampleImpl(SpatialUpsampleOptions options = SpatialUpsampleOptions());
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// [N, C, S, H, W] to [N, C, S, factor H, factor W], or to an `output_size` less than `factor` pixels away from it.
  torch::Tensor forward(const torch::Tensor& input, at::IntArrayRef output_size = {});
  SpatialUpsampleOptions options;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, torch::nn::AnyValue(at::IntArrayRef())})
};
TORCH_MODULE(SpatialUpsample);

}  // namespace scdcf::nn
