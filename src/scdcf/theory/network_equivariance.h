// How far the features of a whole network are from equivariance, whatever network it is.
#pragma once

#include "scdcf/models/network.h"
#include "scdcf/theory/equivariance.h"

namespace scdcf::theory {

/// Images [N, C, H, W] enlarged by 2^octaves about their centre; beyond the border lies `black` [1, C, 1, 1].
torch::Tensor enlarged(const torch::Tensor& images, const torch::Tensor& black, double octaves);

/// layer_equivariance_error after each block that the network shows, for images enlarged by 2^octaves. Networks
/// without a scale axis are compared with D alone, which gives one number a block.
std::vector<LayerError> network_equivariance_error(models::Network& network, const torch::Tensor& images,
                                                   const torch::Tensor& black, double octaves);

}  // namespace scdcf::theory
