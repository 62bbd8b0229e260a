// SHA-256 (FIPS 180-4): which bytes a file holds, in 64 hex digits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace scdcf::files {

/// Bytes may come in pieces of any size: the digest depends on their sequence alone.
///   Sha256 hash;
///   hash.add(data, size);
///   hash.hex();  // ends the message; add no more
class Sha256 {
 public:
  void add(const void* data, std::size_t size);
  std::string hex();

 private:
  static constexpr std::size_t kBlock = 64;
  void compress(const std::uint8_t* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, kBlock> pending_{};
  std::uint64_t size_ = 0;  // bytes so far; size_ % 64 of them are pending
};

}  // namespace scdcf::files
