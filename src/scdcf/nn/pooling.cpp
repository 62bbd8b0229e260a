#include "scdcf/nn/pooling.h"

#include <torch/torch.h>

#include "scdcf/nn/input_checks.h"

namespace scdcf::nn {
namespace {

void check_fits(const torch::Tensor& input, const SpatialPoolOptions& options, const char* name) {
  check_features(name, input);
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
  check_features("ScaleMaxProjection", input);
  return std::get<0>(input.max(2));
}

void ScaleMeanProjectionImpl::pretty_print(std::ostream& stream) const { stream << "scdcf::nn::ScaleMeanProjection()"; }
torch::Tensor ScaleMeanProjectionImpl::forward(const torch::Tensor& input) {
  check_features("ScaleMeanProjection", input);
  return input.mean(2);
}

const char* name_of(UpsampleMode mode) { return mode == UpsampleMode::nearest ? "nearest" : "bilinear"; }

SpatialUpsampleImpl::SpatialUpsampleImpl(SpatialUpsampleOptions options_) : options(options_) {
  require(options.factor() >= 1, "SpatialUpsample: factor: got ", options.factor(), ", expected at least 1");
}
void SpatialUpsampleImpl::pretty_print(std::ostream& stream) const {
  stream << "scdcf::nn::SpatialUpsample(factor " << options.factor() << ", " << name_of(options.mode()) << ")";
}
torch::Tensor SpatialUpsampleImpl::forward(const torch::Tensor& input, at::IntArrayRef output_size) {
  const char* name = "SpatialUpsample";
  check_features(name, input);
  const int64_t factor = options.factor();
  require(output_size.empty() || output_size.size() == 2, name, ": output_size: got ", output_size,
          ", expected a height and a width");
  const auto size_of = [&](int64_t axis) {
    const int64_t whole = factor * input.size(3 + axis);
    if (output_size.empty()) return whole;
    const int64_t asked = output_size[static_cast<size_t>(axis)];
    require(asked > whole - factor && asked < whole + factor, name, ": output_size: got ", output_size, ", expected ",
            whole - factor + 1, " to ", whole + factor - 1, " for ", input.size(3 + axis), " pixels (dimension ",
            3 + axis, " of ", input.sizes(), ")");
    return asked;
  };
  const int64_t height = size_of(0), width = size_of(1);
  auto maps = input.flatten(1, 2);
  const int64_t below = height > factor * input.size(3) ? 1 : 0, right = width > factor * input.size(4) ? 1 : 0;
  if (below + right > 0) maps = at::replication_pad2d(maps, {0, right, 0, below});
  const auto scale = static_cast<double>(factor);
  const auto larger = options.mode() == UpsampleMode::nearest
                          ? at::upsample_nearest2d(maps, {height, width}, scale, scale)
                          : at::upsample_bilinear2d(maps, {height, width}, /*align_corners=*/false, scale, scale);
  return larger.view({input.size(0), input.size(1), input.size(2), height, width});
}

}  // namespace scdcf::nn
