// What layers and networks ask of their input. Each check throws one line that names the layer and the shape it was
// given. A count of 0 stands for any.
#pragma once

#include <ATen/core/Tensor.h>

namespace scdcf::nn {

/// Images [N, channels, H, W] in floating point.
void check_images(const char* layer, const at::Tensor& images, int64_t channels = 0);
/// Features [N, channels, scales, H, W].
void check_features(const char* layer, const at::Tensor& features, int64_t channels = 0, int64_t scales = 0);
/// Dimension 1 holds this many channels.
void check_channels(const char* layer, const at::Tensor& input, int64_t channels);

}  // namespace scdcf::nn
