// How far the features of a whole network are from equivariance, whatever network it is.
#pragma once

#include <optional>

#include "scdcf/models/network.h"
#include "scdcf/theory/equivariance.h"

namespace scdcf::theory {

/// Images [N, C, H, W] enlarged by 2^octaves about their centre; beyond the border lies `black` [1, C, 1, 1].
torch::Tensor enlarged(const torch::Tensor& images, const torch::Tensor& black, double octaves);

/// layer_equivariance_error after each block that the network shows in eval mode, for images enlarged by 2^octaves; the
/// network is left as it was. Networks
/// without a scale axis are compared with D alone, which gives one number a block. Blocks that show one plane of
/// several, as those of images whose maps are of other sizes do, are left out: nothing could have moved there.
std::vector<LayerError> network_equivariance_error(models::Network& network, const torch::Tensor& images,
                                                   const torch::Tensor& black, double octaves);

/// The change in the predictions of a network, in eval mode, when the images are enlarged by 2^octaves: none where it
/// is equivariant up to its scores.
struct AnswerChange {
  double scores = 0;      ///< ||f(Dx) - f(x)|| / ||f(x)|| over images and classes
  double same_class = 0;  ///< share of images whose class stays
  /// Median of log2(size read of Dx / size read of x), which should be `octaves`; nothing where no size is read.
  std::optional<double> moved;
};
AnswerChange answer_change(models::Network& network, const torch::Tensor& images, const torch::Tensor& black,
                           double octaves);

}  // namespace scdcf::theory
