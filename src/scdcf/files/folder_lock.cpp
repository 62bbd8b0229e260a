#include "scdcf/files/folder_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <sstream>

#include "scdcf/core/error.h"
#include "scdcf/files/utc_time.h"

namespace scdcf::files {
namespace {

/// Tries for a tenth of a second: one who only looks holds it for a moment.
void require_lock(const LockableFile& file, LockableFile::Lock kind) {
  for (int tries = 0; tries < 10; ++tries) {
    if (file.try_lock(kind)) return;
    usleep(10'000);
  }
  std::istringstream words(file.read_from(0));
  std::string process = "?", machine = "?", since = "just now";
  words >> process >> machine >> since;
  detail::fail(file.path().parent_path().string(), ": is in use by process ", process, " on ", machine, " since ",
               since, ": wait for its end, or choose another folder");
}

/// "1234 machine 2024-05-06T07:08:09Z"
std::string about_this_process() {
  std::array<char, 256> machine{};
  gethostname(machine.data(), machine.size() - 1);
  return std::to_string(getpid()) + " " + machine.data() + " " + utc_time() + "\n";
}

/// Its last holder may have removed the file after it was opened here: then the lock is on a file nobody else finds.
bool is_still_there(const LockableFile& file) {
  struct stat opened {
  }, named{};
  return fstat(file.descriptor(), &opened) == 0 && stat(file.path().c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

LockableFile locked(const std::filesystem::path& path) {
  for (;;) {
    LockableFile file(path, O_RDWR | O_CREAT);
    require_lock(file, LockableFile::Lock::exclusive);
    if (is_still_there(file)) return file;
  }
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) : file_(locked(folder / kFile)) {
  // A full disk costs the name of the holder, not the lock.
  file_.replace_content(about_this_process());
}

void FolderLock::require_free(const std::filesystem::path& folder) {
  const auto file = LockableFile::if_there(folder / kFile);
  if (file) require_lock(*file, LockableFile::Lock::shared);
}

FolderLock::~FolderLock() {
  if (file_.descriptor() >= 0) unlink(file_.path().c_str());
}

}  // namespace scdcf::files
