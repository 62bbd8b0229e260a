#include "config_file.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "run_options.h"
#include "scdcf/core/error.h"

namespace scdcf::app {
namespace {

/// Reads one line from left to right.
class Line {
 public:
  Line(std::string text, std::string where) : text_(std::move(text)), where_(std::move(where)) {}

  bool at_end() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
    return at_ == text_.size() || text_[at_] == '#';
  }
  bool take(char expected) {
    if (at_end() || text_[at_] != expected) return false;
    ++at_;
    return true;
  }
  std::string key() {
    const auto key = word("=[]\"'");
    require(!key.empty() && take('='), where_, "got \"", text_, "\", expected key = value");
    return key;
  }
  std::string value() {
    require(!at_end(), where_, "got nothing behind \"=\" or \",\", expected a value");
    if (text_[at_] == '"' || text_[at_] == '\'') return quoted(text_[at_]);
    const auto value = word("=[],\"'");
    require(!value.empty(), where_, "got \"", text_.substr(at_), "\", expected a value");
    return value;
  }
  std::string rest() { return text_.substr(at_); }

 private:
  std::string word(const std::string& ends) {
    if (at_end()) return {};
    const auto end = std::min(text_.find_first_of(ends + " \t\r#", at_), text_.size());
    const auto found = text_.substr(at_, end - at_);
    at_ = end;
    return found;
  }
  std::string quoted(char quote) {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) end += quote == '"' && text_[end] == '\\' ? 2 : 1;
    require(end < text_.size(), where_, "got ", text_.substr(at_), ", expected a closing ", quote);
    const auto written = text_.substr(at_, end + 1 - at_);
    at_ = end + 1;
    if (quote == '\'') return written.substr(1, written.size() - 2);                          // as it stands
    const auto parsed = nlohmann::json::parse(written, nullptr, /*allow_exceptions=*/false);  // the escapes of JSON
    require(parsed.is_string(), where_, "got ", written, ", expected a string");
    return parsed;
  }

  std::string text_, where_;
  size_t at_ = 0;
};

std::string place(const std::filesystem::path& file, int line) {
  return file.string() + ":" + std::to_string(line) + ": ";
}

}  // namespace

std::vector<ConfigEntry> read_config_file(const std::filesystem::path& file) {
  std::error_code unreadable;
  std::ifstream stream(file);
  require(stream.good() && !std::filesystem::is_directory(file, unreadable), file.string(),
          ": cannot be opened, expected a file of options");
  std::vector<ConfigEntry> entries;
  std::string text;
  for (int number = 1; std::getline(stream, text); ++number) {
    const auto where = place(file, number);
    Line line(text, where);
    if (line.at_end()) continue;
    require(!line.take('['), where, "got the table ", text, ", expected key = value: options stand in no table");
    ConfigEntry entry;
    entry.line = number;
    entry.key = line.key();
    entry.is_list = line.take('[');
    if (!entry.is_list) {
      entry.values = {line.value()};
    } else if (!line.take(']')) {
      do entry.values.push_back(line.value());
      while (line.take(','));
      require(line.take(']'), where, "got a list without end, expected \"]\" on the same line");
    }
    require(line.at_end(), where, "got \"", line.rest(), "\" behind the value, expected the end of the line");
    entries.push_back(std::move(entry));
  }
  return entries;
}

void apply_config_file(CLI::App& command, const std::filesystem::path& file) {
  std::set<std::string> seen;
  for (const auto& entry : read_config_file(file)) {
    const auto where = place(file, entry.line) + entry.key;
    require(seen.insert(entry.key).second, where, ": is given twice");
    auto* option = command.get_option_no_throw("--" + entry.key);
    const bool usable = option != nullptr && option->get_group() != "Run" && option->get_name() != "--help";
    require(usable, where, ": is no option that a file can set (see scdcf ", command.get_name(), " --help)");
    if (option->count() > 0) continue;  // the command line wins
    const bool takes_lists = option->get_expected_max() > 1;
    require(takes_lists || !entry.is_list, where, ": got a list, expected one value");
    try {
      option->add_result(entry.values.empty() ? std::vector<std::string>{kEmptyList} : entry.values);
      option->run_callback();
    } catch (const CLI::ParseError& error) {
      detail::fail(where, ": ", error.what());
    }
  }
}

}  // namespace scdcf::app
