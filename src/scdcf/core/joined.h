// Words in a row, for messages and lists.
#pragma once

#include <string>

namespace scdcf {

/// "a, b, c": what text_of says of each element.
template <class Range, class TextOf>
std::string joined(const Range& range, const char* separator, const TextOf& text_of) {
  std::string text;
  const char* between = "";
  for (const auto& element : range) {
    text += between;
    text += text_of(element);
    between = separator;
  }
  return text;
}
template <class Range>
std::string joined(const Range& words, const char* separator = ", ") {
  return joined(
      words, separator, [](const auto& word) -> const auto& { return word; });
}

}  // namespace scdcf
