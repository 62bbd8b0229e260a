// Model files as an attacker would write them.
#pragma once

#include <string>

#include "scdcf/core/sha256.h"

namespace scdcf::testing {

/// The file with the sum that belongs to its other bytes, so that nothing else is wrong with it. Files without a place
/// for a sum stay as they are.
inline std::string with_sum(std::string file) {
  const std::string key = "\"sha256\":\"";
  const auto found = file.find(key);
  if (found == std::string::npos || file.size() < found + key.size() + 64) return file;
  file.replace(found + key.size(), 64, std::string(64, '0'));
  Sha256 hash;
  hash.add(file.data(), file.size());
  return file.replace(found + key.size(), 64, hash.hex());
}

/// A file of this header and these data.
inline std::string model_file(std::string header, const std::string& data) {
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i) & 255);
  return with_sum(file + header + data);
}

/// What a header begins with: format number and sum, before the rest of the metadata.
inline std::string metadata(const std::string& more = "") {
  return R"({"__metadata__":{"scdcf_format":"1","sha256":")" + std::string(64, '0') + "\"" + more + "}";
}

}  // namespace scdcf::testing
