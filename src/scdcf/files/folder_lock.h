// A folder that one process at a time works in.
#pragma once

#include <filesystem>

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

  FolderLock(FolderLock&& other) noexcept;
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace scdcf::files
