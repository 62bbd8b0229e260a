#include "scdcf/files/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "scdcf/core/error.h"

namespace scdcf::files {
namespace {

/// What open() would give a new file; mkstemp gives its owner alone the right to read.
mode_t usual_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  const auto folder = file.parent_path();
  return folder.empty() ? "." : folder;
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path file) : file_(std::move(file)) {
  // Renaming over a folder would fail as well, but only after everything has been written.
  std::error_code ignored;
  require(!std::filesystem::is_directory(file_, ignored), file_.string(), ": cannot be written: it is a folder");
  temporary_ = (folder_of(file_) / ("." + file_.filename().string() + ".XXXXXX")).string();
  descriptor_ = mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor_ < 0) {
    const int cause = errno;
    detail::fail(file_.string(), ": cannot be written: ", std::strerror(cause));
  }
  if (fchmod(descriptor_, usual_mode()) != 0) fail("cannot be written");
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_.c_str());
  descriptor_ = -1;
}

void AtomicFile::fail(const char* what) {
  const int cause = errno;
  discard();
  detail::fail(file_.string(), ": ", what, ": ", std::strerror(cause));
}

void AtomicFile::write(const void* data, std::size_t size) {
  require(descriptor_ >= 0, file_.string(), ": cannot be written: it is finished already");
  const auto* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(descriptor_, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot be written");
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::commit() {
  require(descriptor_ >= 0, file_.string(), ": cannot be written: it is finished already");
  if (fsync(descriptor_) != 0) fail("cannot be written");
  if (std::rename(temporary_.c_str(), file_.c_str()) != 0) fail("cannot be written");
  const int closed = close(std::exchange(descriptor_, -1));
  require(closed == 0, file_.string(), ": cannot be closed: ", std::strerror(errno));
  sync_folder(folder_of(file_));
}

void write_file_atomically(const std::filesystem::path& file, std::string_view bytes) {
  AtomicFile out(file);
  out.write(bytes);
  out.commit();
}

std::string name_of_temporary(const std::string& temporary) {
  constexpr std::size_t kEnd = 7;  // ".XXXXXX"
  if (temporary.size() <= kEnd + 1 || temporary.front() != '.' || temporary[temporary.size() - kEnd] != '.') return {};
  return temporary.substr(1, temporary.size() - kEnd - 1);
}

void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  require(descriptor >= 0, folder.string(), ": cannot be opened: ", std::strerror(errno));
  // Some file systems cannot sync a folder and say so with EINVAL: they offer no more than the rename itself.
  const bool failed = fsync(descriptor) != 0 && errno != EINVAL;
  const int cause = errno;
  close(descriptor);
  require(!failed, folder.string(), ": cannot be written: ", std::strerror(cause));
}

}  // namespace scdcf::files
