// Random numbers that are the same on every machine: the standard library's distributions are not.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace scdcf::data {

/// splitmix64: a bijection of 64-bit words that mixes every input bit into every output bit.
inline std::uint64_t mix_bits(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

/// xoshiro256**, seeded through splitmix64. Two generators of different (seed, stream, index) are independent, so that
/// each picture can have its own and be drawn alone.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0, std::uint64_t index = 0) {
    std::uint64_t word = mix_bits(mix_bits(mix_bits(seed) ^ stream) ^ index);
    for (auto& part : state_) part = word = mix_bits(word);
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9, shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// A multiple of 2^-53 in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Bell-shaped in (-2, 2): the sum of four uniforms less its mean; deviation 0.577.
  double bell() {
    const double a = uniform(), b = uniform(), c = uniform(), d = uniform();
    return a + b + c + d - 2;
  }
  /// An integer in [0, count), every one equally likely.
  std::uint64_t below(std::uint64_t count) {
    const std::uint64_t surplus = (0 - count) % count;  // 2^64 mod count: words below it would favour small results
    std::uint64_t word = next();
    while (word < surplus) word = next();
    return word % count;
  }
  template <class Item>
  void shuffle(std::vector<Item>& items) {
    for (std::uint64_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[below(left)]);
  }
  std::vector<std::int64_t> permutation(std::int64_t count) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    shuffle(order);
    return order;
  }

 private:
  static std::uint64_t rotate(std::uint64_t word, int by) { return (word << by) | (word >> (64 - by)); }
  std::uint64_t state_[4];
};

}  // namespace scdcf::data
