// Saved networks: tensors by name and what goes with them, in the safetensors format (io/model_file.h), which holds no
// code. Written whole or not at all.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace scdcf::train {

using TensorMap = std::map<std::string, torch::Tensor>;

inline constexpr const char* kModelExtension = ".safetensors";
/// Of a run's folder: the trained network.
inline constexpr const char* kModelFile = "model.safetensors";

/// In a file: "about" of its metadata, and tensors called NAME (weights) or TABLE/NAME.
struct Checkpoint {
  nlohmann::ordered_json about;              ///< configuration, progress, versions
  std::map<std::string, TensorMap> tensors;  ///< tables "weights", "best_weights", "optimizer"; none without tensors
};

/// Parameters and buffers of a network by name, as copies on the CPU.
TensorMap weights_of(const torch::nn::Module& network);
/// Copies them back. Throws Error naming the first tensor that is missing, superfluous or of another shape.
void load_weights(torch::nn::Module& network, const TensorMap& weights, const std::string& from);

void save_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& file);
/// Throws Error naming the file and what is wrong.
Checkpoint load_checkpoint(const std::filesystem::path& file);

/// The checkpoints of a run, step-000000123.safetensors. The last one saved and the one before it are kept.
class CheckpointFolder {
 public:
  explicit CheckpointFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}
  void save(const Checkpoint& checkpoint, int64_t step) const;
  struct Found {
    Checkpoint checkpoint;
    std::filesystem::path file;
    std::vector<std::string> refused;  ///< why newer ones could not be used, one line each
  };
  /// The newest that is whole; nothing where there is none. Throws Error where there are some and all are damaged.
  std::optional<Found> newest() const;

 private:
  std::vector<std::filesystem::path> files() const;
  std::filesystem::path folder_;
};

}  // namespace scdcf::train
