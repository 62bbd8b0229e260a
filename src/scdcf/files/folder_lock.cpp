#include "scdcf/files/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <sstream>
#include <utility>

#include "scdcf/core/error.h"

namespace scdcf::files {
namespace {

/// False where somebody else holds it. Tries for a tenth of a second: one who only looks holds it for a moment.
bool try_lock(int descriptor, int kind, const std::filesystem::path& file) {
  for (int tries = 0; tries < 10; ++tries) {
    if (flock(descriptor, kind | LOCK_NB) == 0) return true;
    require(errno == EWOULDBLOCK || errno == EINTR, file.string(), ": cannot lock: ", std::strerror(errno));
    usleep(10'000);
  }
  return false;
}

[[noreturn]] void fail_held(int descriptor, const std::filesystem::path& file) {
  std::array<char, 512> text{};
  const auto size = pread(descriptor, text.data(), text.size(), 0);
  close(descriptor);
  std::istringstream words(std::string(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0));
  std::string process, machine, since;
  words >> process >> machine >> since;
  detail::fail(file.parent_path().string(), ": is in use by process ", process.empty() ? "?" : process, " on ",
               machine.empty() ? "?" : machine, " since ", since.empty() ? "just now" : since,
               ": wait for its end, or choose another folder");
}

/// "1234 machine 2024-05-06T07:08:09Z"
std::string about_this_process() {
  std::array<char, 256> machine{};
  gethostname(machine.data(), machine.size() - 1);
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> since{};
  std::strftime(since.data(), since.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::to_string(getpid()) + " " + machine.data() + " " + since.data() + "\n";
}

/// Its last holder may have removed the file after it was opened here: then the lock is on a file nobody else finds.
bool is_still_there(int descriptor, const std::filesystem::path& file) {
  struct stat opened {
  }, named{};
  return fstat(descriptor, &opened) == 0 && stat(file.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) : file_(folder / kFile) {
  for (;;) {
    descriptor_ = open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    require(descriptor_ >= 0, file_.string(), ": cannot be opened: ", std::strerror(errno));
    if (!try_lock(descriptor_, LOCK_EX, file_)) fail_held(descriptor_, file_);
    if (is_still_there(descriptor_, file_)) break;
    close(descriptor_);
  }
  const auto holder = about_this_process();
  // A full disk costs the name of the holder, not the lock.
  [[maybe_unused]] const bool written =
      ftruncate(descriptor_, 0) == 0 && pwrite(descriptor_, holder.data(), holder.size(), 0) > 0;
}

void FolderLock::require_free(const std::filesystem::path& folder) {
  const auto file = folder / kFile;
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;  // nobody ever held it
  if (!try_lock(descriptor, LOCK_SH, file)) fail_held(descriptor, file);
  close(descriptor);
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : file_(std::move(other.file_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock::~FolderLock() {
  if (descriptor_ < 0) return;
  unlink(file_.c_str());
  close(descriptor_);
}

}  // namespace scdcf::files
