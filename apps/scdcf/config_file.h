// Options of one command from a TOML file.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>

namespace scdcf::app {

/// Gives options of `command` that were not on the command line the values of the file: comments and `key = value`
/// lines, where the value is a number, true, false, a string or a list of these within one line. Throws Error naming
/// file and line for anything else, for a key that is no option, for one given twice, and for a value that an option
/// does not take.
///
/// Not read by CLI11's ConfigTOML (2.1.2 of Debian 12): it serves the program as a whole and none of its commands,
/// knows no line numbers, takes a # within quotes for a comment, knows no escapes, and takes without complaint a line
/// without =, a quote or list without end, and a key given twice.
void apply_config_file(CLI::App& command, const std::filesystem::path& file);

}  // namespace scdcf::app
