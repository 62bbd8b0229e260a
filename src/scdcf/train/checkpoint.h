// Saved networks: tensors by name and what goes with them, in PyTorch's own file format (torch.load reads it), with
// their SHA-256 inside. Written whole or not at all.
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

/// In Python: {"format": "scdcf 1", "about": "{...json...}", "weights": {name: tensor}, "optimizer": {...}, ...}.
struct Checkpoint {
  nlohmann::ordered_json about;              ///< configuration, progress, versions
  std::map<std::string, TensorMap> tensors;  ///< "weights", "best_weights", "optimizer"
};

/// Parameters and buffers of a network by name, as copies on the CPU.
TensorMap weights_of(const torch::nn::Module& network);
/// Copies them back. Throws Error naming the first tensor that is missing, superfluous or of another shape.
void load_weights(torch::nn::Module& network, const TensorMap& weights, const std::string& from);

/// One file, which carries its own sum.
void save_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& file);
/// Also of earlier versions, which wrote the sum into FILE.sha256. Throws Error naming the file and what is wrong.
Checkpoint load_checkpoint(const std::filesystem::path& file);

/// The checkpoints of a run, step-000000123.pt. The last one saved and the one before it are kept.
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
