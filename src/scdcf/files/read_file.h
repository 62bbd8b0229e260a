// Whole files in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scdcf::files {

using Bytes = std::vector<std::uint8_t>;

/// The largest file that is read, and the largest array that any header may announce: a full STL-10 has 0.4 GB.
constexpr std::uint64_t kLargestFile = std::uint64_t{2} << 30;

/// The bytes of a regular file of at most kLargestFile bytes. Throws Error naming it otherwise.
Bytes read_file(const std::string& path);
std::string read_text(const std::string& path);

}  // namespace scdcf::files
