#include "scdcf/files/json.h"

#include <algorithm>

#include "scdcf/core/error.h"
#include "scdcf/files/read_file.h"

namespace scdcf::files {
namespace {

constexpr int kDeepest = 64;

/// Of brackets outside strings. Where the text is no JSON, parsing says so.
int depth_of(const std::string& text) {
  int depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (in_string && letter == '\\')
      ++i;
    else if (letter == '"')
      in_string = !in_string;
    else if (!in_string && (letter == '[' || letter == '{'))
      deepest = std::max(deepest, ++depth);
    else if (!in_string && (letter == ']' || letter == '}'))
      --depth;
  }
  return deepest;
}

}  // namespace

nlohmann::ordered_json read_json(const std::string& text, const std::string& name) {
  const int depth = depth_of(text);
  require(depth <= kDeepest, name, ": got JSON nested ", depth, " deep, expected at most ", kDeepest);
  auto json = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  require(!json.is_discarded(), name, ": got something else, expected JSON");
  return json;
}

nlohmann::ordered_json read_json_file(const std::filesystem::path& file) {
  return read_json(read_text(file.string()), file.string());
}

}  // namespace scdcf::files
