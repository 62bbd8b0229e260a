// JSON that strangers may have written.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace scdcf::files {

/// What a text says. Throws Error, beginning with `name`, for what is no JSON, and for lists within lists deeper than
/// any file of the program's has them: values are taken apart by recursion, which such a text could drive to the end of
/// the stack.
nlohmann::ordered_json read_json(const std::string& text, const std::string& name);

nlohmann::ordered_json read_json_file(const std::filesystem::path& file);

}  // namespace scdcf::files
