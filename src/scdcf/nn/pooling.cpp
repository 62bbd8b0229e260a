#include "scdcf/nn/pooling.h"

#include <torch/torch.h>

namespace scdcf::nn {
namespace {

void check_features(const torch::Tensor& input, const char* name) {
  require(input.dim() == 5, name, ": input: got shape ", input.sizes(), ", expected features [N, C, S, H, W]");
}

void check_fits(const torch::Tensor& input, const SpatialPoolOptions& options, const char* name) {
  check_features(input, name);
  const int64_t smallest = options.window() - 2 * options.padding();
  require(input.size(3) >= smallest && input.size(4) >= smallest, name, ": input: got ", input.size(3), " x ",
          input.size(4), " pixels, expected at least ", smallest, " x ", smallest);
}

void print_pool(std::ostream& stream, const char* name, const SpatialPoolOptions& options) {
  stream << "scdcf::nn::" << name << "(window " << options.window();
  if (options.stride() != 0 && options.stride() != options.window()) stream << ", stride " << options.stride();
  if (options.padding() != 0) stream << ", padding " << options.padding();
  stream << ")";
}

}  // namespace

SpatialAvgPoolImpl::SpatialAvgPoolImpl(SpatialPoolOptions options_) : options(options_) {
  check_window(options, "SpatialAvgPool");
}
void SpatialAvgPoolImpl::pretty_print(std::ostream& stream) const { print_pool(stream, "SpatialAvgPool", options); }
torch::Tensor SpatialAvgPoolImpl::forward(const torch::Tensor& input) {
  check_fits(input, options, "SpatialAvgPool");
  const int64_t w = options.window(), s = options.step(), p = options.padding();
  return torch::avg_pool3d(input, {1, w, w}, {1, s, s}, {0, p, p}, false, /*count_include_pad=*/false);
}

SpatialMaxPoolImpl::SpatialMaxPoolImpl(SpatialPoolOptions options_) : options(options_) {
  check_window(options, "SpatialMaxPool");
}
void SpatialMaxPoolImpl::pretty_print(std::ostream& stream) const { print_pool(stream, "SpatialMaxPool", options); }
torch::Tensor SpatialMaxPoolImpl::forward(const torch::Tensor& input) {
  check_fits(input, options, "SpatialMaxPool");
  const int64_t w = options.window(), s = options.step(), p = options.padding();
  return torch::max_pool3d(input, {1, w, w}, {1, s, s}, {0, p, p});
}

void ScaleMaxProjectionImpl::pretty_print(std::ostream& stream) const { stream << "scdcf::nn::ScaleMaxProjection()"; }
torch::Tensor ScaleMaxProjectionImpl::forward(const torch::Tensor& input) {
  check_features(input, "ScaleMaxProjection");
  return std::get<0>(input.max(2));
}
std::tuple<torch::Tensor, torch::Tensor> ScaleMaxProjectionImpl::forward_with_scale(const torch::Tensor& input) {
  check_features(input, "ScaleMaxProjection");
  return input.max(2);
}

void ScaleMeanProjectionImpl::pretty_print(std::ostream& stream) const { stream << "scdcf::nn::ScaleMeanProjection()"; }
torch::Tensor ScaleMeanProjectionImpl::forward(const torch::Tensor& input) {
  check_features(input, "ScaleMeanProjection");
  return input.mean(2);
}

SpatialUpsampleImpl::SpatialUpsampleImpl(int64_t factor_, UpsampleMode mode_) : factor(factor_), mode(mode_) {
  require(factor >= 1, "SpatialUpsample: factor: got ", factor, ", expected at least 1");
}
void SpatialUpsampleImpl::pretty_print(std::ostream& stream) const {
  stream << "scdcf::nn::SpatialUpsample(factor " << factor << ", "
         << (mode == UpsampleMode::nearest ? "nearest" : "bilinear") << ")";
}
torch::Tensor SpatialUpsampleImpl::forward(const torch::Tensor& input) {
  check_features(input, "SpatialUpsample");
  const int64_t height = input.size(3) * factor, width = input.size(4) * factor;
  const auto maps = input.flatten(1, 2);
  const auto larger = mode == UpsampleMode::nearest
                          ? torch::upsample_nearest2d(maps, {height, width})
                          : torch::upsample_bilinear2d(maps, {height, width}, /*align_corners=*/false);
  return larger.view({input.size(0), input.size(1), input.size(2), height, width});
}

}  // namespace scdcf::nn
