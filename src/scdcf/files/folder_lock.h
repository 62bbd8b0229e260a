// A folder that one process at a time works in.
#pragma once

#include <filesystem>

#include "scdcf/files/lockable_file.h"

namespace scdcf::files {

/// Held by a lock on FOLDER/scdcf.lock, which says who holds it. The kernel gives it up when the process ends, however
/// it ends; a file that a killed process left behind holds nothing.
class FolderLock {
 public:
  static constexpr const char* kFile = "scdcf.lock";

  /// Throws Error naming process, machine and time where somebody holds it.
  explicit FolderLock(const std::filesystem::path& folder);
  /// Throws the same, and takes and writes nothing.
  static void require_free(const std::filesystem::path& folder);

  FolderLock(FolderLock&&) noexcept = default;
  ~FolderLock();

 private:
  LockableFile file_;
};

}  // namespace scdcf::files
