// Real digits for tests: MNIST's test images, where the data is at hand.
#pragma once

#include <torch/torch.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace scdcf::testing {

/// The first `count` test images of MNIST, [count, 1, 28, 28] in [0, 1]; nothing where the data is absent. Looked for
/// under SCDCF_DATA and, from the source tree, ../shared/data.
inline std::optional<torch::Tensor> mnist_digits(int64_t count) {
  std::vector<std::filesystem::path> folders;
  if (const char* named = std::getenv("SCDCF_DATA")) folders.emplace_back(named);
  folders.emplace_back(std::filesystem::path(SCDCF_SOURCE_DIR) / "data");
  folders.emplace_back(std::filesystem::path(SCDCF_SOURCE_DIR) / "../shared/data");
  for (const auto& folder : folders) {
    const auto file = folder / "mnist" / "t10k-images-idx3-ubyte.gz";
    gzFile stream = gzopen(file.c_str(), "rb");
    if (stream == nullptr) continue;
    std::vector<unsigned char> bytes(static_cast<size_t>(16 + count * 784));
    const int read = gzread(stream, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(stream);
    if (read != static_cast<int>(bytes.size())) continue;
    return torch::from_blob(bytes.data() + 16, {count, 1, 28, 28}, torch::kUInt8).to(torch::kFloat) / 255;
  }
  return std::nullopt;
}

}  // namespace scdcf::testing
