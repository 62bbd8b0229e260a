#include "scdcf/nn/signature.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "scdcf/core/error.h"

namespace scdcf::nn {
namespace {

/// Printable, also of a hostile file; a buffer may have gone to another type with its layer.
std::string text_of(const at::Tensor& signature) {
  const auto bytes = signature.detach().to(at::kCPU, at::kByte).contiguous();
  std::string text(static_cast<const char*>(bytes.data_ptr()), static_cast<size_t>(bytes.numel()));
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

}  // namespace

bool is_signature(const std::string& buffer) {
  const std::string ending = std::string(".") + kSignature, name = "." + buffer;
  return name.size() >= ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
}

at::Tensor signature_buffer(const std::string& text) {
  return at::tensor(std::vector<uint8_t>(text.begin(), text.end()), at::kByte);
}

void check_signature(const at::Tensor& got, const at::Tensor& expected, const std::string& subject) {
  const auto stored = text_of(got), own = text_of(expected);
  require(stored == own, subject, ": got coefficients for \"", stored, "\", expected \"", own, "\"");
}

}  // namespace scdcf::nn
