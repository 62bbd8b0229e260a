#include "scdcf/distributed/folder_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include "scdcf/core/error.h"

namespace scdcf::distributed {

namespace fs = std::filesystem;

fs::path FolderStore::file_of(const std::string& key) const {
  auto name = "=" + key;
  std::replace(name.begin(), name.end(), '/', '|');
  return folder_ / name;
}

void FolderStore::set(const std::string& key, const std::vector<std::uint8_t>& value) {
  static std::atomic<unsigned> writes{0};
  const auto part = folder_ / (std::to_string(getpid()) + "-" + std::to_string(writes++));
  std::ofstream stream(part, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(value.data()), static_cast<std::streamsize>(value.size()));
  stream.close();
  require(!stream.fail(), part.string(), ": could not be written: ", std::strerror(errno));
  fs::rename(part, file_of(key));
}

std::vector<std::uint8_t> FolderStore::get(const std::string& key) {
  wait({key});
  std::ifstream stream(file_of(key), std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::int64_t FolderStore::add(const std::string& key, std::int64_t value) {
  const int lock = open((folder_ / "lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  require(lock >= 0 && flock(lock, LOCK_EX) == 0, folder_.string(), ": could not be locked: ", std::strerror(errno));
  const auto before = check({key}) ? get(key) : std::vector<std::uint8_t>{'0'};
  value += std::stoll(std::string(before.begin(), before.end()));
  const auto text = std::to_string(value);
  set(key, {text.begin(), text.end()});
  close(lock);  // releases the lock, as the end of the process does
  return value;
}

bool FolderStore::deleteKey(const std::string& key) { return fs::remove(file_of(key)); }

bool FolderStore::check(const std::vector<std::string>& keys) {
  return std::all_of(keys.begin(), keys.end(), [this](const std::string& key) { return fs::exists(file_of(key)); });
}

std::int64_t FolderStore::getNumKeys() {
  return std::count_if(fs::directory_iterator(folder_), {}, [](const fs::directory_entry& entry) {
    return entry.path().filename().string().front() == '=';
  });
}

void FolderStore::wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) {
  const auto began = std::chrono::steady_clock::now();
  while (!check(keys)) {
    require(timeout == kNoTimeout || std::chrono::steady_clock::now() - began < timeout, keys.front(),
            ": not set within ", timeout.count(), " ms");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace scdcf::distributed
