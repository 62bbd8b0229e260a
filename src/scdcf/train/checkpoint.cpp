#include "scdcf/train/checkpoint.h"

#include <torch/torch.h>

#include <algorithm>

#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/files/json.h"
#include "scdcf/files/read_file.h"
#include "scdcf/io/model_file.h"

namespace scdcf::train {
namespace {

// Tensors of the table "weights" have their own names in a file, those of other tables "TABLE/NAME".
constexpr const char* kWeights = "weights";
constexpr char kSeparator = '/';

}  // namespace

TensorMap weights_of(const torch::nn::Module& network) {
  TensorMap weights;
  for (const auto& item : network.named_parameters()) weights[item.key()] = item.value().detach().cpu().clone();
  for (const auto& item : network.named_buffers()) weights[item.key()] = item.value().detach().cpu().clone();
  return weights;
}

void load_weights(torch::nn::Module& network, const TensorMap& weights, const std::string& from) {
  const torch::NoGradGuard no_grad;
  size_t used = 0;
  const auto load = [&](const std::string& name, const torch::Tensor& target) {
    const auto found = weights.find(name);
    require(found != weights.end(), from, ": has no tensor \"", name, "\", which the network needs");
    require(found->second.sizes() == target.sizes(), from, ": tensor \"", name, "\": got shape ", found->second.sizes(),
            ", expected ", target.sizes());
    target.copy_(found->second);
    ++used;
  };
  for (const auto& item : network.named_parameters()) load(item.key(), item.value());
  for (const auto& item : network.named_buffers()) load(item.key(), item.value());
  require(used == weights.size(), from, ": has ", weights.size(), " tensors, expected the ", used, " of the network");
}

void save_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& file) {
  io::ModelFile content;
  content.metadata["about"] = checkpoint.about.dump(/*indent=*/-1, ' ', /*ensure_ascii=*/true);
  for (const auto& [table, tensors] : checkpoint.tensors)
    for (const auto& [name, tensor] : tensors) {
      const bool is_weight = table == kWeights;
      require(!is_weight || name.find(kSeparator) == std::string::npos, file.string(), ": tensor \"", name,
              "\": expected a name without ", kSeparator);
      content.tensors[is_weight ? name : table + kSeparator + name] = tensor;
    }
  files::write_file_atomically(file, io::to_bytes(content));
}

Checkpoint load_checkpoint(const std::filesystem::path& file) {
  const auto bytes = files::read_file(file.string());
  const auto content = io::from_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file.string());
  const auto about = content.metadata.find("about");
  require(about != content.metadata.end(), file.string(), ": its metadata has no \"about\"");
  Checkpoint checkpoint{files::read_json(about->second, file.string() + ": its description"), {}};
  for (const auto& [name, tensor] : content.tensors) {
    const auto table = name.find(kSeparator);
    if (table == std::string::npos)
      checkpoint.tensors[kWeights][name] = tensor;
    else
      checkpoint.tensors[name.substr(0, table)][name.substr(table + 1)] = tensor;
  }
  return checkpoint;
}

std::vector<std::filesystem::path> CheckpointFolder::files() const {
  std::vector<std::filesystem::path> found;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, missing))
    if (entry.path().extension() == kModelExtension && entry.path().stem().string().rfind("step-", 0) == 0)
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

void CheckpointFolder::save(const Checkpoint& checkpoint, int64_t step) const {
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  require(!failed, folder_.string(), ": cannot be made: ", failed.message());
  const auto name = format("step-%09lld", static_cast<long long>(step)) + kModelExtension;
  save_checkpoint(checkpoint, folder_ / name);
  // Later ones than this, if any, were damaged: the run would not have come back here else.
  const auto found = files();
  const auto saved = std::find(found.begin(), found.end(), folder_ / name);
  for (auto file = found.begin(); file != found.end(); ++file)
    if (file != saved && file + 1 != saved) std::filesystem::remove(*file, failed);
  // What a killed run was writing (atomic_file.h) would stay for ever.
  for (const auto& entry : std::filesystem::directory_iterator(folder_, failed))
    if (entry.path().filename().string().rfind(".step-", 0) == 0) std::filesystem::remove(entry.path(), failed);
}

std::optional<CheckpointFolder::Found> CheckpointFolder::newest() const {
  auto candidates = files();
  std::vector<std::string> refused;
  for (auto file = candidates.rbegin(); file != candidates.rend(); ++file) {
    try {
      return Found{load_checkpoint(*file), *file, refused};
    } catch (const Error& error) {
      refused.emplace_back(error.what());
    }
  }
  require(refused.empty(), refused.empty() ? "" : refused.front(), " (and there is no older one to use)");
  return std::nullopt;
}

}  // namespace scdcf::train
