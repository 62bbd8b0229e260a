// Gzip; read with the size known beforehand: a small file can never make a large allocation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "scdcf/files/read_file.h"

namespace scdcf::files {

bool is_gzip(const Bytes& bytes);

/// The first `size` bytes of what was compressed.
Bytes inflate_start(const Bytes& compressed, std::uint64_t size, const std::string& name);

/// All of what was compressed, which must be `size` bytes: not one less or more, checksum right, nothing after it.
/// Refuses before allocating where no gzip file this short can hold that much.
Bytes inflate_all(const Bytes& compressed, std::uint64_t size, const std::string& name);

/// What inflates to these bytes; as small as zlib makes it.
std::string gzip(std::string_view bytes);

}  // namespace scdcf::files
