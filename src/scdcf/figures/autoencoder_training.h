// Trained auto-encoders for Figures 4 and 5.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scdcf/data/image_set.h"
#include "scdcf/figures/figures.h"
#include "scdcf/models/autoencoder.h"

namespace scdcf::figures {

/// The scaled digits both figures use: sizes of the data and of the training, the same for all auto-encoders.
struct AutoEncoderStudy {
  std::string data;  ///< smnist, sfashion or sglyphs
  int64_t image_size = 56, train_images = 10000, test_images = 2000;
  int64_t epochs = 20, batch = 32;
  std::string optimizer = "adam";
  double momentum = 0.9;                       ///< of sgd
  double first_rate = 1e-3, last_rate = 1e-5;  ///< a geometric progression over the epochs
  int64_t seeds = 2;                           ///< trainings of each auto-encoder, from other weights
};
AutoEncoderStudy autoencoder_study(const FigureOptions& options);
/// Pixels are used as they are, in [0, 1].
data::Splits autoencoder_data(const AutoEncoderStudy& study, const FigureOptions& options);
/// "auto-encoders of Table 5 trained by adam from 0.001 to 1e-05 on ..., 2 trainings each, the one with the least
/// training error".
std::string training_text(const AutoEncoderStudy& study, const data::Splits& splits);

/// One auto-encoder to train. Seeds count from 1.
struct AutoEncoderRun {
  std::string model;  ///< cnn-autoencoder or scdcf-autoencoder
  int modes = 8;      ///< K, of scdcf-autoencoder
  uint64_t seed = 1;
};

/// An auto-encoder and its mean squared error over the training images, in evaluation mode.
struct TrainedAutoEncoder {
  std::shared_ptr<models::AutoEncoder> network;
  double training_error = 0;
};

/// Of each kind (model, modes) the training with the smallest training error, in the order of `kinds`: half of the
/// hidden units of Table 5 are off for every image, in some trainings more. In evaluation mode, and kept in
/// out/autoencoders for the next time.
std::vector<TrainedAutoEncoder> best_autoencoders(const std::vector<AutoEncoderRun>& kinds,
                                                  const AutoEncoderStudy& study, const data::Splits& splits,
                                                  const FigureOptions& options);

}  // namespace scdcf::figures
