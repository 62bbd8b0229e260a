#include "scdcf/train/checkpoint.h"

#include <torch/torch.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "scdcf/core/error.h"
#include "scdcf/core/format.h"
#include "scdcf/files/atomic_file.h"
#include "scdcf/files/sha256.h"

namespace scdcf::train {
namespace {

constexpr const char* kFormat = "scdcf 1";

std::filesystem::path sum_file(std::filesystem::path file) { return file += ".sha256"; }

c10::impl::GenericDict make_dict() { return c10::impl::GenericDict(c10::StringType::get(), c10::AnyType::get()); }

std::string read_whole(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  require(stream.good(), file.string(), ": cannot be opened, expected a checkpoint");
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void check_sum(const std::filesystem::path& file, const std::string& bytes) {
  std::ifstream stream(sum_file(file));
  std::string expected;
  require(static_cast<bool>(stream >> expected), file.string(), ": has no checksum (", sum_file(file).string(),
          "), so nobody knows whether it is whole");
  files::Sha256 hash;
  hash.add(bytes.data(), bytes.size());
  require(hash.hex() == expected, file.string(), ": is damaged: its SHA-256 differs from the one in ",
          sum_file(file).string());
}

TensorMap to_map(const c10::IValue& value) {
  TensorMap map;
  for (const auto& item : value.toGenericDict()) map[item.key().toStringRef()] = item.value().toTensor();
  return map;
}

Checkpoint unpack(const std::string& bytes, const std::filesystem::path& file) {
  Checkpoint checkpoint;
  try {
    const auto dict = torch::pickle_load({bytes.begin(), bytes.end()}).toGenericDict();
    require(dict.contains("format") && dict.at("format").toStringRef() == kFormat, file.string(),
            ": got another kind of file, expected a checkpoint of format \"", kFormat, "\"");
    for (const auto& item : dict) {
      const auto& key = item.key().toStringRef();
      if (key == "about") checkpoint.about = nlohmann::ordered_json::parse(item.value().toStringRef());
      if (item.value().isGenericDict()) checkpoint.tensors[key] = to_map(item.value());
    }
  } catch (const Error&) {
    throw;
  } catch (const nlohmann::json::exception&) {
    detail::fail(file.string(), ": cannot be read as a checkpoint: its description is not JSON");
  } catch (const std::exception&) {  // torch throws c10::Error, std::out_of_range and others, over many lines
    detail::fail(file.string(), ": cannot be read as a checkpoint");
  }
  return checkpoint;
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
  files::Sha256 hash;
  hash.add(bytes.data(), bytes.size());
  // In this order: a run that is killed in between leaves a sum without a file, which nobody minds.
  files::write_file_atomically(sum_file(file), hash.hex() + "  " + file.filename().string() + "\n");
  files::write_file_atomically(file, {bytes.data(), bytes.size()});
}

Checkpoint load_checkpoint(const std::filesystem::path& file) {
  const auto bytes = read_whole(file);
  check_sum(file, bytes);
  return unpack(bytes, file);
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
