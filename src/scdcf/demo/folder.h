// The folder of a demonstration: what an earlier one left there is replaced, and nothing else is touched.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scdcf/files/folder_lock.h"

namespace scdcf::demo {

/// The page where one can try the networks; it is there where onnxruntime-web was.
constexpr const char* kExplorerPage = "explore.html";

/// The names of the runs inside the folder; a run's files are those of runs/run_folder.h.
const std::vector<std::string>& demo_runs();

/// Makes the folder, or takes from it the files that an earlier demonstration wrote. Throws Error where it cannot be
/// written, where it holds files of those names that no demonstration wrote, or where another process works in it. It
/// is this process's until the lock goes.
files::FolderLock prepare_demo_folder(const std::filesystem::path& folder);

}  // namespace scdcf::demo
