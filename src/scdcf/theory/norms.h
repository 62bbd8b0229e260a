// The norms of eq. (norms). A pixel has unit area, so integrals are sums.
#pragma once

#include <ATen/core/Tensor.h>

namespace scdcf::theory {

/// ||x^(0)|| of every image in [N, C, H, W]: [N].
at::Tensor image_norm(const at::Tensor& image);

/// ||x^(l)|| of features [N, C, S, H, W], the supremum over scale of the spatial norm: [N].
at::Tensor feature_norm(const at::Tensor& features);

/// The norm of the spatial gradient, (1/C) sum over channels of the integral of |grad x|^2, by first differences, the
/// image being zero beyond its border: [N].
at::Tensor gradient_norm(const at::Tensor& image);

}  // namespace scdcf::theory
