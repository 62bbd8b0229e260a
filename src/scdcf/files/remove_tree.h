// A folder and all in it, removed.
#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace scdcf::files {

/// What std::filesystem::remove_all does, one entry at a time; links are removed, not followed. PyTorch's Linux wheels
/// export a remove_all of another libstdc++, and a program that links them crashes in it.
inline void remove_tree(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(std::filesystem::symlink_status(path, ignored))) {
    std::vector<std::filesystem::path> inside;
    for (const auto& entry : std::filesystem::directory_iterator(path, ignored)) inside.push_back(entry.path());
    for (const auto& entry : inside) remove_tree(entry);
  }
  std::filesystem::remove(path, ignored);
}

}  // namespace scdcf::files
