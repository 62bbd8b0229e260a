// Trained auto-encoders for Figures 4 and 5, and what group actions on their codes decode to.
#pragma once

#include <torch/types.h>

#include <memory>

#include "scdcf/data/image_set.h"
#include "scdcf/experiments/reproduce.h"
#include "scdcf/models/autoencoder.h"

namespace scdcf::experiments {

/// The scaled digits both figures use: sizes of the data and of the training, the same for all auto-encoders.
struct AutoEncoderStudy {
  std::string data;  ///< smnist, sfashion or sglyphs
  int64_t train_images = 10000, test_images = 2000;
  int64_t epochs = 20, batch = 128;
  double first_rate = 1e-2, last_rate = 1e-4;  ///< of Adam, a geometric progression over the epochs
};
AutoEncoderStudy autoencoder_study(const ReproduceOptions& options);
/// Pixels are used as they are, in [0, 1].
data::Splits autoencoder_data(const AutoEncoderStudy& study, const ReproduceOptions& options);

/// The auto-encoder after training with mean squared error, in evaluation mode: read from out/autoencoders where it was
/// trained there before in the same way, else trained and written there.
std::shared_ptr<models::AutoEncoder> trained_autoencoder(const models::AutoEncoderOptions& model,
                                                         const AutoEncoderStudy& study, const data::Splits& splits,
                                                         const ReproduceOptions& options);

/// Decoder(T_beta Encoder(x)), eq. (error_recon): T of eq. (group-action2), or D of eq. (group-action1) where the code
/// has no scale axis. Beyond its border a code goes on as that of a black image.
torch::Tensor decode_rescaled(models::AutoEncoder& network, const torch::Tensor& images, double beta);

/// D_beta x, what decode_rescaled should give.
torch::Tensor rescaled_images(const torch::Tensor& images, double beta);

/// ||a - b|| / ||b|| of every image, [N].
torch::Tensor relative_errors(const torch::Tensor& images, const torch::Tensor& expected);
/// One where a pixel is above half of its image's maximum, else zero: what contrast was lost does not count.
torch::Tensor thresholded(const torch::Tensor& images);

}  // namespace scdcf::experiments
