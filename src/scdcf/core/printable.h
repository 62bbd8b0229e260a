// Names from files, folders and networks as a terminal may show them. Torch-free.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>

namespace scdcf {

/// One character of a text: its Unicode code point and its number of bytes, 0 where the bytes are not UTF-8.
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

/// The character at byte `at`, which must be inside the text.
inline Character character_at(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const std::uint32_t first = byte(at);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  std::uint32_t code = first & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80) return {};
    code = code << 6 | (byte(at + i) & 0x3FU);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return overlong || surrogate || code > 0x10FFFF ? Character{} : Character{code, bytes};
}

/// Whether text is UTF-8, as JSON must be; names of files may be any bytes.
inline bool is_utf8(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto bytes = character_at(text, at).bytes;
    if (bytes == 0) return false;
    at += bytes;
  }
  return true;
}

/// The text as one line that changes nothing on a terminal but its own columns: control characters, line separators,
/// marks that change the direction of writing and bytes that are not UTF-8 become \xHH, byte by byte.
inline std::string printable(const std::string& text) {
  const auto changes_terminal = [](std::uint32_t c) {
    return c < ' ' || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
  };
  std::string result;
  for (std::size_t at = 0, next = 0; at < text.size(); at = next) {
    const auto [code, bytes] = character_at(text, at);
    next = at + (bytes == 0 ? 1 : bytes);
    const bool hidden = bytes == 0 || changes_terminal(code);
    if (!hidden) result.append(text, at, bytes);
    for (std::size_t i = at; hidden && i < next; ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      result += {'\\', 'x', "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
    }
  }
  return result;
}

/// The columns of printable text on a terminal: two for a wide East Asian character or an emoji, none for a mark that
/// is put on the character before it, one for any other.
inline std::size_t columns_of(const std::string& text) {
  constexpr std::uint32_t kMarks[][2] = {{0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200D},
                                         {0x20D0, 0x20FF}, {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
  constexpr std::uint32_t kWide[][2] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xA960, 0xA97F},
                                        {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFFE6},
                                        {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, bytes] = character_at(text, at);
    const auto is_in = [c = code](const auto& range) { return range[0] <= c && c <= range[1]; };
    if (std::none_of(std::begin(kMarks), std::end(kMarks), is_in))
      columns += std::any_of(std::begin(kWide), std::end(kWide), is_in) ? 2 : 1;
    at += bytes == 0 ? 1 : bytes;
  }
  return columns;
}

}  // namespace scdcf
