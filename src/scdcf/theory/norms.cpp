#include "scdcf/theory/norms.h"

#include <ATen/ATen.h>

#include "scdcf/core/error.h"

namespace scdcf::theory {

at::Tensor image_norm(const at::Tensor& image) {
  require(image.dim() == 4, "image norm: got shape ", image.sizes(), ", expected [N, C, H, W]");
  return image.square().sum({2, 3}).mean(1).sqrt();
}

at::Tensor feature_norm(const at::Tensor& features) {
  require(features.dim() == 5, "feature norm: got shape ", features.sizes(), ", expected [N, C, S, H, W]");
  return features.square().sum({3, 4}).mean(1).amax(1).sqrt();
}

at::Tensor gradient_norm(const at::Tensor& image) {
  require(image.dim() == 4, "gradient norm: got shape ", image.sizes(), ", expected [N, C, H, W]");
  const auto padded = at::constant_pad_nd(image, {1, 1, 1, 1});
  const auto dy = padded.slice(2, 1) - padded.slice(2, 0, -1);
  const auto dx = padded.slice(3, 1) - padded.slice(3, 0, -1);
  return (dy.square().sum({2, 3}) + dx.square().sum({2, 3})).mean(1).sqrt();
}

}  // namespace scdcf::theory
