#include "scdcf/train/checkpoint.h"

#include <torch/torch.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/files/json.h"
#include "scdcf/files/read_file.h"
#include "scdcf/files/sha256.h"
#include "scdcf/files/zip.h"
#include "scdcf/train/pickle.h"

namespace scdcf::train {
namespace {

constexpr const char* kFormat = "scdcf 1";

std::filesystem::path sum_file(std::filesystem::path file) { return file += ".sha256"; }

c10::impl::GenericDict make_dict() { return c10::impl::GenericDict(c10::StringType::get(), c10::AnyType::get()); }

// A file carries the sum of all its other bytes as the comment of its zip archive, so behind everything else.
constexpr std::string_view kSumMark = "scdcf SHA-256 ";
constexpr std::size_t kSum = 64;

std::string sum_of(std::string_view bytes) {
  files::Sha256 hash;
  hash.add(bytes.data(), bytes.size());
  return hash.hex();
}

std::string with_sum(const std::string& archive) {
  auto bytes = files::with_zip_comment(archive, std::string(kSumMark) + std::string(kSum, ' '));
  bytes.resize(bytes.size() - kSum);
  return bytes + sum_of(bytes);
}

/// Files of earlier versions have their sum beside them.
void check_sum(const std::string& file, std::string_view bytes) {
  const auto without = bytes.size() - std::min(bytes.size(), kSum);
  const auto front = bytes.substr(0, without);
  if (front.size() > kSumMark.size() && front.substr(front.size() - kSumMark.size()) == kSumMark) {
    require(sum_of(front) == bytes.substr(without), file, ": is damaged: its SHA-256 differs from the one it carries");
    return;
  }
  std::ifstream stream(sum_file(file));
  std::string expected;
  require(static_cast<bool>(stream >> expected), file, ": is no model of scdcf, or one that was cut off");
  require(sum_of(bytes) == expected, file, ": is damaged: its SHA-256 differs from the one in ",
          sum_file(file).string());
}

Checkpoint unpack(std::string_view bytes, const std::string& file) {
  const auto pickled = unpickle(bytes, file + ": is no model of scdcf");
  const auto format = pickled.texts.find("format"), about = pickled.texts.find("about");
  require(format != pickled.texts.end() && format->second == kFormat && about != pickled.texts.end(), file,
          ": is no model of scdcf: expected format \"", kFormat, "\" and a description");
  return {files::read_json(std::string(about->second), file + ": its description"), pickled.tensors};
}

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
  auto dict = make_dict();
  dict.insert("format", std::string(kFormat));
  dict.insert("about", checkpoint.about.dump());
  for (const auto& [name, map] : checkpoint.tensors) {
    auto tensors = make_dict();
    // Clones: a view would drag the whole buffer it looks into onto the disk.
    for (const auto& [key, tensor] : map) tensors.insert(key, tensor.detach().cpu().clone());
    dict.insert(name, tensors);
  }
  const auto bytes = torch::pickle_save(dict);
  files::write_file_atomically(file, with_sum({bytes.begin(), bytes.end()}));
  std::error_code missing;
  std::filesystem::remove(sum_file(file), missing);  // of the file that was there before
}

Checkpoint load_checkpoint(const std::filesystem::path& file) {
  const auto content = files::read_file(file.string());
  const std::string_view bytes(reinterpret_cast<const char*>(content.data()), content.size());
  check_sum(file.string(), bytes);
  return unpack(bytes, file.string());
}

std::vector<std::filesystem::path> CheckpointFolder::files() const {
  std::vector<std::filesystem::path> found;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, missing))
    if (entry.path().extension() == ".pt" && entry.path().stem().string().rfind("step-", 0) == 0)
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

void CheckpointFolder::save(const Checkpoint& checkpoint, int64_t step) const {
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  require(!failed, folder_.string(), ": cannot be made: ", failed.message());
  const auto name = format("step-%09lld.pt", static_cast<long long>(step));
  save_checkpoint(checkpoint, folder_ / name);
  // Later ones than this, if any, were damaged: the run would not have come back here else.
  const auto found = files();
  const auto saved = std::find(found.begin(), found.end(), folder_ / name);
  for (auto file = found.begin(); file != found.end(); ++file) {
    if (file == saved || file + 1 == saved) continue;
    std::filesystem::remove(*file, failed);
    std::filesystem::remove(sum_file(*file), failed);
  }
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
