// A run on the disk: RUN/config.json, config.toml, metrics.jsonl, checkpoints/, model.pt, result.json, curves.png.
#pragma once

#include <filesystem>

#include "scdcf/train/trainer.h"

namespace scdcf::runs {

/// Makes the folder of a new run, or checks that of a resumed one. Throws Error where a new run would overwrite one
/// that is there, or where a resumed one was begun with another configuration.
void prepare_run_folder(const std::filesystem::path& folder, const train::RunConfig& config, bool resume);

/// The configuration a run was begun with.
train::RunConfig read_run_config(const std::filesystem::path& folder);

/// Writes result.json and the plot of the curves. Returns an empty string, or why there is no picture.
std::string write_result(const std::filesystem::path& folder, const train::RunConfig& config,
                         const train::TrainResult& result);

/// A trained network, ready to be used.
struct TrainedModel {
  train::RunConfig config;
  std::shared_ptr<models::Network> network;  ///< in eval mode
  std::vector<std::string> class_names;
  std::vector<double> mean, deviation;
  std::string data_checksum;
  std::vector<int64_t> data_counts;  ///< pictures trained, validated and tested on; empty in models that do not say
  std::optional<train::ScaleCalibration> calibration;
};

/// From a run's folder: model.pt, or the best weights so far where the run is not finished; or from a file.
TrainedModel load_model(const std::filesystem::path& run, torch::Device device);

}  // namespace scdcf::runs
