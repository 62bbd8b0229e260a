// Real digits for tests: MNIST's test images, where the data is at hand.
#pragma once

#include <torch/torch.h>
#include <zlib.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace scdcf::testing {

/// The first `count` test images of MNIST under $SCDCF_DATA, [count, 1, 28, 28] in [0, 1]; nothing where it is absent.
inline std::optional<torch::Tensor> mnist_digits(int64_t count) {
  const char* data = std::getenv("SCDCF_DATA");
  if (data == nullptr) return std::nullopt;
  gzFile stream = gzopen((std::string(data) + "/mnist/t10k-images-idx3-ubyte.gz").c_str(), "rb");
  if (stream == nullptr) return std::nullopt;
  std::vector<unsigned char> bytes(static_cast<size_t>(16 + count * 784));
  const int read = gzread(stream, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(stream);
  if (read != static_cast<int>(bytes.size())) return std::nullopt;
  return torch::from_blob(bytes.data() + 16, {count, 1, 28, 28}, torch::kUInt8).to(torch::kFloat) / 255;
}

}  // namespace scdcf::testing
