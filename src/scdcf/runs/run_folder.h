// A run on the disk: RUN/config.json, config.toml, metrics.jsonl, checkpoints/, model.safetensors, result.json,
// curves.png; and, while a process trains in it, RUN/scdcf.lock.
#pragma once

#include <filesystem>

#include "scdcf/files/folder_lock.h"
#include "scdcf/pixels/network_input.h"
#include "scdcf/train/trainer.h"

namespace scdcf::runs {

/// Whether a run writes a file of this name into its folder, or into checkpoints/ below it; or would have, and was
/// killed before it was whole.
bool is_run_file(const std::string& name);

/// Throws Error where a run cannot be begun or resumed in this folder: another process works in it, it holds something
/// that is no run, a new run would overwrite one that is there, or a resumed one was begun with other options, the
/// first of which the message begins with. Writes nothing.
void check_run_folder(const std::filesystem::path& folder, const train::RunConfig& config, bool resume);

/// Makes the folder of a new run, or takes from that of a resumed one what a killed process left unfinished. It is this
/// process's until the lock goes. Throws Error as check_run_folder does, but for files that no run writes, which stay.
[[nodiscard]] files::FolderLock prepare_run_folder(const std::filesystem::path& folder, const train::RunConfig& config,
                                                   bool resume);

/// Whether a run was begun here.
bool is_run_folder(const std::filesystem::path& folder);

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
  std::string unfinished;  ///< one line on how far training is, where it is not finished; else empty

  /// What it expects of an image file.
  pixels::InputFormat input_format() const;
  /// Whether the sizes of the training objects were known; else sizes that it reads mean nothing.
  bool knows_sizes() const;
};

/// Another range of sizes than a network was trained with; 0 for its own. Its weights serve any.
struct RangeOfSizes {
  double smaller = 0, larger = 0;
};

/// From a run's folder: model.safetensors, or the best weights so far where the run is not finished; or from a file.
TrainedModel load_model(const std::filesystem::path& run, torch::Device device, const RangeOfSizes& range = {});

}  // namespace scdcf::runs
