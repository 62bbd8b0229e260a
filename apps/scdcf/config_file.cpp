#include "config_file.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "scdcf/core/error.h"
#include "scdcf/core/option.h"
#include "scdcf/files/json.h"

namespace scdcf::app {
namespace {

using nlohmann::json;

/// What stands in front of a comment, which a # within quotes does not begin.
std::string without_comment(const std::string& line) {
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (quote == 0 && line[i] == '#') return line.substr(0, i);
    if (quote == '"' && line[i] == '\\')
      ++i;
    else if (quote == 0 ? line[i] == '"' || line[i] == '\'' : line[i] == quote)
      quote = quote == 0 ? line[i] : '\0';
  }
  return line;
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last + 1 - first);
}

/// TOML writes as JSON does what options take, but for '...', where every letter stands for itself.
json parse_value(const std::string& text) {
  if (text.size() > 1 && text.front() == '\'' && text.find('\'', 1) == text.size() - 1)
    return text.substr(1, text.size() - 2);
  try {
    return files::read_json(text, "value");
  } catch (const Error&) {
    return json::value_t::discarded;
  }
}

bool is_plain(const json& value) { return value.is_number() || value.is_boolean() || value.is_string(); }

/// As they would stand on the command line.
std::vector<std::string> words_of(const json& value) {
  std::vector<std::string> words;
  for (const auto& item : value.is_array() ? value : json::array({value}))
    words.push_back(item.is_string() ? item.get<std::string>() : item.dump());
  return words.empty() ? std::vector<std::string>{kEmptyList} : words;
}

void apply(CLI::App& command, const std::string& key, const json& value) {
  auto* option = command.get_option_no_throw("--" + key);
  const bool usable = option != nullptr && option->get_group() != "Run" && option->get_name() != "--help";
  require(usable, key, ": is no option that a file can set (see scdcf ", command.get_name(), " --help)");
  if (option->count() > 0) return;  // the command line wins
  require(option->get_expected_max() > 1 || !value.is_array(), key, ": got a list, expected one value");
  try {
    option->add_result(words_of(value));
    option->run_callback();
  } catch (const CLI::ParseError& error) {
    throw Error(error.what());
  }
}

}  // namespace

void apply_config_file(CLI::App& command, const std::filesystem::path& file) {
  std::error_code unreadable;
  std::ifstream stream(file);
  require(stream.good() && !std::filesystem::is_directory(file, unreadable), file.string(),
          ": cannot be opened, expected a file of options");
  std::set<std::string> seen;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) try {
      const auto text = trimmed(without_comment(line));
      if (text.empty()) continue;
      require(text.front() != '[', "got the table ", text, ", expected key = value: options stand in no table");
      const auto equals = text.find('=');
      require(equals != std::string::npos, "got \"", text, "\", expected key = value");
      const auto key = trimmed(text.substr(0, equals)), written = trimmed(text.substr(equals + 1));
      const auto value = parse_value(written);
      require(is_plain(value) || (value.is_array() && std::all_of(value.begin(), value.end(), is_plain)), key, ": got ",
              written.empty() ? "nothing" : written,
              ", expected a value: a number, true, false, \"words\" or a list [1, 2] of these within the line");
      require(seen.insert(key).second, key, ": is given twice");
      apply(command, key, value);
    } catch (const Error& error) {
      detail::fail(file.string(), ":", number, ": ", error.what());
    }
}

}  // namespace scdcf::app
