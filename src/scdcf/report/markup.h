// Text inside HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace scdcf::report {

/// The text with & < > " as markup writes them.
inline std::string markup_escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace scdcf::report
