#include "scdcf/files/lockable_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "scdcf/core/error.h"

namespace scdcf::files {
namespace {

std::atomic<bool> has_locks{true};

/// Some network file systems know no locks, or have nobody who keeps them.
bool means_no_locks(int cause) { return cause == ENOLCK || cause == EOPNOTSUPP || cause == ENOSYS; }

int operation(LockableFile::Lock kind) { return kind == LockableFile::Lock::shared ? LOCK_SH : LOCK_EX; }

}  // namespace

LockableFile::LockableFile(std::filesystem::path path, int flags, std::nullopt_t)
    : path_(std::move(path)), descriptor_(open(path_.c_str(), flags | O_CLOEXEC, 0644)) {}

LockableFile::LockableFile(std::filesystem::path path, int flags) : LockableFile(std::move(path), flags, std::nullopt) {
  require(descriptor_ >= 0, path_.string(), ": cannot be opened: ", std::strerror(errno));
}

std::optional<LockableFile> LockableFile::if_there(const std::filesystem::path& path) {
  LockableFile file(path, O_RDONLY, std::nullopt);
  if (file.descriptor_ < 0) return std::nullopt;
  return file;
}

LockableFile::LockableFile(LockableFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

LockableFile::~LockableFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void LockableFile::lock(Lock kind) const {
  while (locks_are_on() && flock(descriptor_, operation(kind)) != 0) {
    if (means_no_locks(errno)) has_locks = false;
    require(!has_locks || errno == EINTR, path_.string(), ": cannot lock: ", std::strerror(errno));
  }
}

bool LockableFile::try_lock(Lock kind) const {
  if (!locks_are_on() || flock(descriptor_, operation(kind) | LOCK_NB) == 0) return true;
  if (means_no_locks(errno)) {
    has_locks = false;
    return true;
  }
  require(errno == EWOULDBLOCK || errno == EINTR, path_.string(), ": cannot lock: ", std::strerror(errno));
  return false;
}

bool LockableFile::locks_are_on() {
  const char* text = std::getenv("SCDCF_LOCKS");
  return has_locks && (text == nullptr || std::strcmp(text, "off") != 0);
}

std::uint64_t LockableFile::size() const {
  struct stat about {};
  require(fstat(descriptor_, &about) == 0, path_.string(), ": ", std::strerror(errno));
  return static_cast<std::uint64_t>(about.st_size);
}

std::string LockableFile::read_from(std::uint64_t offset) const {
  const auto end = size();
  std::string text(end > offset ? end - offset : 0, '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    const auto part = pread(descriptor_, text.data() + got, text.size() - got, static_cast<off_t>(offset + got));
    if (part < 0 && errno == EINTR) continue;
    require(part >= 0, path_.string(), ": cannot be read: ", std::strerror(errno));
    if (part == 0) break;
    got += static_cast<std::size_t>(part);
  }
  text.resize(got);
  return text;
}

bool LockableFile::replace_content(std::string_view text) const {
  return ftruncate(descriptor_, 0) == 0 &&
         pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

}  // namespace scdcf::files
