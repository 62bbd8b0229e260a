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

}  // namespace scdcf::files
