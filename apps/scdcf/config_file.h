// Options from a file. CLI11 reads files for the program as a whole, not for one of its commands.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace scdcf::app {

/// `key = value` on line `line`; a list has any number of values, anything else one.
struct ConfigEntry {
  std::string key;
  std::vector<std::string> values;
  bool is_list = false;
  int line = 0;
};

/// Reads the part of TOML that options need: comments and `key = value` lines whose value is a number, true, false, a
/// string in double or single quotes, or a list of these within one line. Throws Error naming file, line and cause.
std::vector<ConfigEntry> read_config_file(const std::filesystem::path& file);

/// Gives options of `command` that were not on the command line the values of the file. Throws Error naming file and
/// line for a key that is no option, for one given twice, and for a value that an option does not take.
void apply_config_file(CLI::App& command, const std::filesystem::path& file);

}  // namespace scdcf::app
