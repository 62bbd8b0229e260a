// Files and folders that a command writes where its user says: --out.
#pragma once

#include <filesystem>
#include <string>

namespace scdcf::app {

/// Nothing of the user's is overwritten but what the command wrote, which is known by `mark` in it. Throws Error.
void check_target(const std::filesystem::path& out, const std::string& command, const std::string& mark);

/// The folder that a file is to lie in.
void make_folder_of(const std::filesystem::path& out);

}  // namespace scdcf::app
