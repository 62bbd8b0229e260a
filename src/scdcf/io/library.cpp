// What is registered of model files for other languages: python/scdcf/files.py.
#include <torch/library.h>
#include <torch/types.h>

#include <cstring>

#include "scdcf/core/error.h"
#include "scdcf/io/model_file.h"

namespace scdcf::io {
namespace {

using TensorDict = c10::Dict<std::string, at::Tensor>;
using TextDict = c10::Dict<std::string, std::string>;

at::Tensor model_file(const TensorDict& tensors, const TextDict& metadata) {
  ModelFile file;
  for (const auto& item : tensors) file.tensors[item.key()] = item.value();
  for (const auto& item : metadata) file.metadata[item.key()] = item.value();
  const auto bytes = to_bytes(file);
  const auto result = torch::empty({static_cast<int64_t>(bytes.size())}, at::kByte);
  std::memcpy(result.data_ptr(), bytes.data(), bytes.size());
  return result;
}

std::tuple<TensorDict, TextDict> read_model_file(const at::Tensor& bytes, const std::string& name) {
  require(bytes.scalar_type() == at::kByte && bytes.is_cpu() && bytes.is_contiguous(), name,
          ": expected the bytes of a file, one after the other");
  const auto file = from_bytes({static_cast<const char*>(bytes.data_ptr()), bytes.nbytes()}, name);
  TensorDict tensors;
  TextDict metadata;
  for (const auto& [key, tensor] : file.tensors) tensors.insert(key, tensor);
  for (const auto& [key, text] : file.metadata) metadata.insert(key, text);
  return {tensors, metadata};
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(scdcf, m) {
  m.def("model_file(Dict(str, Tensor) tensors, Dict(str, str) metadata) -> Tensor", model_file);
  m.def("read_model_file(Tensor bytes, str name) -> (Dict(str, Tensor), Dict(str, str))", read_model_file);
}

}  // namespace scdcf::io
