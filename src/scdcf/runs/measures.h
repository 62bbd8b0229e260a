// What is measured of a network beside its accuracy on the test set.
#pragma once

#include <nlohmann/json.hpp>

#include "scdcf/data/image_set.h"
#include "scdcf/models/network.h"
#include "scdcf/train/config.h"
#include "scdcf/train/evaluation.h"

namespace scdcf::runs {

/// {"scales": [{"from", "to", "count", "accuracy"}, ...]}, one for each group of sizes; of an empty one, 0.
nlohmann::ordered_json scales_of(const train::Evaluation& evaluation);

/// The same on a test set whose objects have every size; normalised as in training, by `trained_on`.
nlohmann::ordered_json measure_scales(models::Network& network, const data::ImageSet& test,
                                      const data::Splits& trained_on, const train::TrainOptions& options);

/// {"levels": [{"gradient", "accuracy", "error"}, ...]}: test images moved by random fields tau of growing
/// |grad tau|_inf; accuracy, and of the last features ||x[D_g D_tau x] - T_g x[x]|| / ||T_g x[x]|| (Theorem 2), g one
/// step in scale, averaged over the scales.
nlohmann::ordered_json measure_deformation(models::Network& network, const data::Splits& splits,
                                           const train::TrainOptions& options);

/// {"parameters", "multiply_adds", "inference_ms", "training_ms", "training_bytes"}, times and multiply-adds for one
/// image; of an untrained network on random pictures in batches of 128 (32 on the CPU).
nlohmann::ordered_json measure_cost(const train::RunConfig& config);

}  // namespace scdcf::runs
