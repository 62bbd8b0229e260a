// Model files: tensors and texts by name in the safetensors format, which holds no code and which every tool for
// weights reads.
//
// A file is eight bytes with the length of the header, the header, and the elements of all tensors, the lowest byte of
// every number first. The header is JSON in printable ASCII, filled up with spaces to a multiple of eight bytes:
//   {"__metadata__":{"scdcf_format":"1","sha256":"<64 digits>","about":"..."},
//    "conv.weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}
// The sum is the SHA-256 of the whole file with zeros ('0') in place of the 64 digits of the sum.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <string_view>

namespace scdcf::io {

struct ModelFile {
  std::map<std::string, at::Tensor> tensors;
  std::map<std::string, std::string> metadata;  ///< beside format number and sum; "about" is JSON
};

/// The bytes of a file. Tensors with larger elements come first, so that each is aligned without a gap. Throws Error
/// for types of tensors that files do not have, and for names and texts that are not printable ASCII.
std::string to_bytes(const ModelFile& file);

/// Tensors are on the CPU and own their memory. Throws Error, beginning with `name`, for everything but a header as
/// above, letter by letter, and tensors that follow one another from its end to the end of the file.
ModelFile from_bytes(std::string_view bytes, const std::string& name);

}  // namespace scdcf::io
