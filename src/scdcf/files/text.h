// Lines and whole numbers out of small text files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scdcf/files/read_file.h"

namespace scdcf::files {

/// The lines without their ends (LF or CR LF); a last line without an end counts.
std::vector<std::string> lines_of(const Bytes& text);

/// The fields between separators: n separators give n + 1 fields.
std::vector<std::string> fields_of(const std::string& line, char separator);

/// A whole number of digits alone, at most nine of them.
std::optional<std::int64_t> number_of(const std::string& field);

/// Text from a file as an Error may show it: one line of printable characters, at most forty of them.
std::string shown(const std::string& text);

}  // namespace scdcf::files
