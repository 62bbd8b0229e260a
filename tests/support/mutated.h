// Damage of the kinds that find what a reader does not check.
#pragma once

#include <algorithm>

#include "scdcf/data/random.h"
#include "scdcf/files/read_file.h"

namespace scdcf::testing {

/// One to four changes: a bit, a byte, a word of an extreme value, a piece cut out or doubled, the end cut off.
inline files::Bytes mutated(files::Bytes bytes, data::Random& random) {
  for (auto changes = 1 + random.below(4); changes > 0 && !bytes.empty(); --changes) {
    const auto at = static_cast<std::ptrdiff_t>(random.below(bytes.size()));
    const auto length = static_cast<std::ptrdiff_t>(random.below(
        static_cast<std::uint64_t>(std::min<std::ptrdiff_t>(64, static_cast<std::ptrdiff_t>(bytes.size()) - at) + 1)));
    const auto begin = bytes.begin() + at;
    constexpr std::uint8_t kExtremes[] = {0x00, 0x01, 0x7F, 0x80, 0xFF};
    switch (random.below(6)) {
      case 0:
        *begin ^= static_cast<std::uint8_t>(1U << random.below(8));
        break;
      case 1:
        *begin = static_cast<std::uint8_t>(random.next());
        break;
      case 2:
        std::fill(begin, begin + std::min<std::ptrdiff_t>(4, length), kExtremes[random.below(5)]);
        break;
      case 3:
        bytes.erase(begin, begin + length);
        break;
      case 4: {
        const files::Bytes piece(begin, begin + length);
        bytes.insert(begin, piece.begin(), piece.end());
        break;
      }
      default:
        bytes.resize(static_cast<std::size_t>(at));
        break;
    }
  }
  return bytes;
}

}  // namespace scdcf::testing
