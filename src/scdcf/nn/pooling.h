// Pooling of scale features [N, C, S, H, W] in space, projection along scale, upsampling for decoders.
#pragma once

#include <torch/nn/cloneable.h>
#include <torch/nn/pimpl.h>

#include <tuple>

#include "scdcf/core/error.h"
#include "scdcf/nn/batch_norm.h"
#include "scdcf/nn/options.h"

namespace scdcf::nn {

/// Refuses windows, strides and paddings that make no sense; `layer` names the layer in the message.
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
  /// The maximum and the index of the scale where it is attained.
  std::tuple<torch::Tensor, torch::Tensor> forward_with_scale(const torch::Tensor& input);
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

enum class UpsampleMode { nearest, bilinear };

/// Enlarges the maps by a whole factor in space, each scale by itself.
class SpatialUpsampleImpl : public torch::nn::Cloneable<SpatialUpsampleImpl> {
 public:
  explicit SpatialUpsampleImpl(int64_t factor = 2, UpsampleMode mode = UpsampleMode::nearest);
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);
  int64_t factor;
  UpsampleMode mode;
};
TORCH_MODULE(SpatialUpsample);

}  // namespace scdcf::nn
