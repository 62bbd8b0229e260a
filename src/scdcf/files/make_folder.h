// A folder to write into.
#pragma once

#include <filesystem>
#include <system_error>

#include "scdcf/core/error.h"

namespace scdcf::files {

/// With all above it, where it is not there yet. Throws Error naming it and the cause, and `option` ("out: ") before
/// it.
inline void make_folder(const std::filesystem::path& folder, const char* option = "") {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  require(!failed, option, folder.string(), ": the folder cannot be made: ", failed.message());
}

}  // namespace scdcf::files
