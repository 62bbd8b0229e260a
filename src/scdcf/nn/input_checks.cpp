#include "scdcf/nn/input_checks.h"

#include "scdcf/core/error.h"

namespace scdcf::nn {

void check_channels(const char* layer, const at::Tensor& input, int64_t channels) {
  require(input.dim() >= 2, layer, ": input: got shape ", input.sym_sizes(), ", expected [N, C, ...]");
  require(channels == 0 || input.sym_size(1) == channels, layer, ": input: got ", input.sym_size(1),
          " channels (dimension 1 of ", input.sym_sizes(), "), expected ", channels);
}

void check_images(const char* layer, const at::Tensor& images, int64_t channels) {
  require(images.dim() == 4, layer, ": input: got shape ", images.sym_sizes(),
          ", expected an image batch [N, C, H, W]");
  require(images.is_floating_point(), layer, ": input: got type ", images.scalar_type(),
          ", expected floating point: convert the images first, for example by images.to(torch::kFloat) / 255");
  check_channels(layer, images, channels);
}

void check_features(const char* layer, const at::Tensor& features, int64_t channels, int64_t scales) {
  require(features.dim() == 5, layer, ": input: got shape ", features.sym_sizes(),
          ", expected features [N, C, S, H, W]");
  require(scales == 0 || features.sym_size(2) == scales, layer, ": input: got ", features.sym_size(2),
          " scales (dimension 2 of ", features.sym_sizes(), "), expected ", scales);
  check_channels(layer, features, channels);
}

}  // namespace scdcf::nn
