// A file that several processes have open, and of which each may keep the others away.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace scdcf::files {

/// Open until it is destroyed, with which its lock ends too; the kernel ends it as well when the process dies, however
/// that happens. Failures are Errors that name the file and the cause.
class LockableFile {
 public:
  enum class Lock { shared, exclusive };

  /// `flags` are those of open(2).
  LockableFile(std::filesystem::path path, int flags);
  /// To read it; nothing where there is none.
  static std::optional<LockableFile> if_there(const std::filesystem::path& path);
  LockableFile(LockableFile&& other) noexcept;
  ~LockableFile();
  LockableFile(const LockableFile&) = delete;
  LockableFile& operator=(const LockableFile&) = delete;
  LockableFile& operator=(LockableFile&&) = delete;

  /// Where locks are off, by SCDCF_LOCKS=off or because the file system has none, both do nothing.
  void lock(Lock kind) const;
  /// False where somebody else holds it.
  bool try_lock(Lock kind) const;
  /// Whether locks were never found to be off.
  static bool locks_are_on();

  std::uint64_t size() const;
  /// All from `offset` on; less where it is cut off meanwhile.
  std::string read_from(std::uint64_t offset) const;
  /// False where it failed, as on a full disk.
  bool replace_content(std::string_view text) const;

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return descriptor_; }  ///< -1 once it was moved from

 private:
  LockableFile(std::filesystem::path path, int flags, std::nullopt_t);

  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace scdcf::files
