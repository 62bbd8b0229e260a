// SHA-256 (FIPS 180-4): which bytes a file holds, in 64 hex digits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace scdcf {
namespace detail {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
inline constexpr std::array<std::uint32_t, 64> kSha256Round = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::uint32_t rotate_right(std::uint32_t word, int bits) { return (word >> bits) | (word << (32 - bits)); }

/// One round: of its variables only d and h get new values.
inline void sha256_round(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t& d, std::uint32_t e,
                         std::uint32_t f, std::uint32_t g, std::uint32_t& h, std::uint32_t constant_and_message) {
  const std::uint32_t s1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25), choice = (e & f) ^ (~e & g);
  const std::uint32_t s0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22),
                      majority = (a & b) ^ (a & c) ^ (b & c);
  const std::uint32_t t1 = h + s1 + choice + constant_and_message;
  d += t1;
  h = t1 + s0 + majority;
}

}  // namespace detail

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

inline void Sha256::compress(const std::uint8_t* block) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t t = 0; t < 16; ++t)
    w[t] = std::uint32_t{block[4 * t]} << 24 | std::uint32_t{block[4 * t + 1]} << 16 |
           std::uint32_t{block[4 * t + 2]} << 8 | std::uint32_t{block[4 * t + 3]};
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t s0 =
        detail::rotate_right(w[t - 15], 7) ^ detail::rotate_right(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 = detail::rotate_right(w[t - 2], 17) ^ detail::rotate_right(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  // The variables change places every round; after eight rounds each is in its own place, so that none has to be moved.
  for (std::size_t t = 0; t < 64; t += 8) {
    detail::sha256_round(a, b, c, d, e, f, g, h, detail::kSha256Round[t] + w[t]);
    detail::sha256_round(h, a, b, c, d, e, f, g, detail::kSha256Round[t + 1] + w[t + 1]);
    detail::sha256_round(g, h, a, b, c, d, e, f, detail::kSha256Round[t + 2] + w[t + 2]);
    detail::sha256_round(f, g, h, a, b, c, d, e, detail::kSha256Round[t + 3] + w[t + 3]);
    detail::sha256_round(e, f, g, h, a, b, c, d, detail::kSha256Round[t + 4] + w[t + 4]);
    detail::sha256_round(d, e, f, g, h, a, b, c, detail::kSha256Round[t + 5] + w[t + 5]);
    detail::sha256_round(c, d, e, f, g, h, a, b, detail::kSha256Round[t + 6] + w[t + 6]);
    detail::sha256_round(b, c, d, e, f, g, h, a, detail::kSha256Round[t + 7] + w[t + 7]);
  }
  const std::array<std::uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state_[i] += added[i];
}

inline void Sha256::add(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  std::size_t held = size_ % kBlock;
  size_ += size;
  if (held > 0) {
    const std::size_t taken = std::min(size, kBlock - held);
    std::copy_n(bytes, taken, pending_.begin() + static_cast<std::ptrdiff_t>(held));
    bytes += taken, size -= taken, held += taken;
    if (held < kBlock) return;
    compress(pending_.data());
  }
  for (; size >= kBlock; bytes += kBlock, size -= kBlock) compress(bytes);
  std::copy_n(bytes, size, pending_.begin());
}

inline std::string Sha256::hex() {
  // A one bit, zeros up to 8 bytes short of a whole block, the length in bits.
  const std::uint64_t bits = 8 * size_;
  std::array<std::uint8_t, 2 * kBlock> tail{0x80};
  const std::size_t zeros_to = (size_ % kBlock < kBlock - 8 ? kBlock : 2 * kBlock) - size_ % kBlock - 8;
  for (std::size_t i = 0; i < 8; ++i) tail[zeros_to + i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
  add(tail.data(), zeros_to + 8);
  std::string text(64, '0');
  for (std::size_t i = 0; i < 64; ++i) text[i] = "0123456789abcdef"[state_[i / 8] >> (28 - 4 * (i % 8)) & 15];
  return text;
}

}  // namespace scdcf
