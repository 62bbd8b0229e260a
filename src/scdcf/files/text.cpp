#include "scdcf/files/text.h"

namespace scdcf::files {

std::vector<std::string> lines_of(const Bytes& text) {
  std::vector<std::string> lines;
  std::string line;
  const auto finish = [&] {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
    line.clear();
  };
  for (const auto byte : text) {
    if (byte == '\n') {
      finish();
    } else {
      line += static_cast<char>(byte);
    }
  }
  if (!line.empty()) finish();
  return lines;
}

std::vector<std::string> fields_of(const std::string& line, char separator) {
  std::vector<std::string> fields(1);
  for (const char character : line) {
    if (character == separator) {
      fields.emplace_back();
    } else {
      fields.back() += character;
    }
  }
  return fields;
}

std::optional<std::int64_t> number_of(const std::string& field) {
  if (field.empty() || field.size() > 9) return std::nullopt;
  std::int64_t number = 0;
  for (const char digit : field) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = 10 * number + (digit - '0');
  }
  return number;
}

std::string shown(const std::string& text) {
  std::string result;
  for (const char character : text) {
    if (result.size() == 40) return result + "...";
    result += character >= ' ' && character <= '~' ? character : '?';
  }
  return result;
}

bool is_utf8(const std::string& text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
  for (std::size_t at = 0; at < text.size();) {
    const unsigned first = byte(at);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xC2 && first < 0xE0 ? 2
                               : first >= 0xE0 && first < 0xF0 ? 3
                               : first >= 0xF0 && first < 0xF5 ? 4
                                                               : 0;
    if (length == 0) return false;
    for (std::size_t i = 1; i < length; ++i)
      if ((byte(at + i) & 0xC0U) != 0x80) return false;
    // Longer than need be, halves of pairs, and beyond the last code point.
    const unsigned second = byte(at + 1);
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) || (first == 0xF0 && second < 0x90) ||
        (first == 0xF4 && second >= 0x90))
      return false;
    at += length;
  }
  return true;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte >= ' ' && byte <= '~')
      result += character;
    else
      result += std::string("\\x") + "0123456789abcdef"[byte >> 4] + "0123456789abcdef"[byte & 15];
  }
  return result;
}

}  // namespace scdcf::files
