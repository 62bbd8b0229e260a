// How far a network is from x[D x] = T x[x] (eq. scale-equivariant), measured as in Section 6.2.
#pragma once

#include <torch/nn/modules/container/sequential.h>

#include <string>
#include <vector>

#include "scdcf/theory/group_action.h"

namespace scdcf::theory {

/// ||x[Dx](., alpha) - T x[x](., alpha)|| / ||T x[x](., alpha)|| at every scale, over images, channels and pixels.
/// Scales that only one side knows (common_scales) are left out. `border` pixels are ignored on every side.
std::vector<double> equivariance_error(const at::Tensor& of_transformed, const at::Tensor& of_original,
                                       const GroupElement& g, double step, int64_t border = 0);

/// The same for the maps of any layer, with g given on the grid of the image, `image_width` pixels wide: where the maps
/// have shrunk (pooling, stride), g acts on the coarser grid; maps without scale axis [N, C, H, W] are compared with D
/// alone, which gives one number.
std::vector<double> layer_equivariance_error(const at::Tensor& of_transformed, const at::Tensor& of_original,
                                             const GroupElement& g, int64_t image_width, double step,
                                             int64_t border = 0);

struct LayerError {
  std::string layer;              // its name, or how it prints itself
  std::vector<double> per_scale;  // one number where the output has no scale axis
};

/// layer_equivariance_error after every module of `network` in eval mode, for images [N, C, H, W]. The network is left
/// as it was.
std::vector<LayerError> layerwise_equivariance_error(torch::nn::Sequential& network, const at::Tensor& images,
                                                     const GroupElement& g, double step, int64_t border = 0);

}  // namespace scdcf::theory
