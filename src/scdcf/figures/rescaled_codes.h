// Group actions on the codes of auto-encoders, and what they decode to: eq. (error_recon).
#pragma once

#include <torch/types.h>

#include "scdcf/models/autoencoder.h"

namespace scdcf::figures {

/// D_beta x.
torch::Tensor rescaled_images(const torch::Tensor& images, double beta);

/// T_beta Encoder(x), T of eq. (group-action2), or D of eq. (group-action1) where the code has no scale axis. Beyond
/// its border a code goes on as that of a black image.
torch::Tensor rescaled_code(models::AutoEncoder& network, const torch::Tensor& images, double beta);

/// ||a - b|| / ||b|| of every image or code, [N].
torch::Tensor relative_errors(const torch::Tensor& found, const torch::Tensor& expected);
/// ||T Encoder(x) - Encoder(D x)||^2 and ||Encoder(D x) - ground||^2 over all images together, where ground is the code
/// of a black image: [2]. The root of their ratio is the equivariance error of the code.
torch::Tensor code_distances(models::AutoEncoder& network, const torch::Tensor& images, double beta);
/// One where a pixel is above half of its image's maximum, else zero: what contrast was lost does not count.
torch::Tensor thresholded(const torch::Tensor& images);

}  // namespace scdcf::figures
