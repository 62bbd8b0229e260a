#include "scdcf/core/memory.h"

#ifdef __GLIBC__
#  include <malloc.h>
#endif
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <limits>
#include <string>

namespace scdcf {
namespace {

namespace fs = std::filesystem;

constexpr auto kNoLimit = std::numeric_limits<std::int64_t>::max();
std::atomic<std::int64_t> limit{0};

/// The number after `key`, or the first of the file where there is no key; `otherwise` where there is none.
std::int64_t number_in(const fs::path& file, const std::string& key, std::int64_t otherwise) {
  std::ifstream stream(file);
  std::string word;
  if (!key.empty())
    while (stream >> word && word != key) continue;
  std::int64_t number = 0;
  return stream >> number ? number : otherwise;
}

/// Of /proc/self/status and /proc/meminfo, which count in kB.
std::int64_t kilobytes_in(const fs::path& file, const std::string& key, std::int64_t otherwise) {
  const auto number = number_in(file, key, -1);
  return number < 0 ? otherwise : 1024 * number;
}

std::int64_t left_by_ulimit() {
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return kNoLimit;
  return static_cast<std::int64_t>(space.rlim_cur) - kilobytes_in("/proc/self/status", "VmSize:", 0);
}

}  // namespace

std::int64_t resident_memory() { return kilobytes_in("/proc/self/status", "VmRSS:", 0); }

std::int64_t unused_heap() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  return static_cast<std::int64_t>(mallinfo2().fordblks);
#else
  return 0;
#endif
}

std::int64_t left_by_control_groups(const fs::path& root) {
  std::int64_t least = kNoLimit;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const bool unified = line.rfind("0::/", 0) == 0;
    if (!unified && line.find(":memory:/") == std::string::npos) continue;
    const fs::path top = root / (unified ? "sys/fs/cgroup" : "sys/fs/cgroup/memory");
    auto folder = (top / line.substr(line.find(":/") + 2)).lexically_normal();
    for (; folder.native().size() >= top.native().size(); folder = folder.parent_path()) {
      const auto most = number_in(folder / (unified ? "memory.max" : "memory.limit_in_bytes"), "", kNoLimit);
      const auto used = number_in(folder / (unified ? "memory.current" : "memory.usage_in_bytes"), "", 0);
      const auto cached = number_in(folder / "memory.stat", unified ? "inactive_file" : "total_inactive_file", 0);
      if (most != kNoLimit) least = std::min(least, most - std::max<std::int64_t>(0, used - cached));
    }
  }
  return least;
}

void set_memory_limit(std::int64_t bytes) { limit = bytes; }

std::int64_t memory_limit(int processes) {
  if (limit > 0) return limit / processes;
  const auto machine = kilobytes_in("/proc/meminfo", "MemAvailable:", kNoLimit);
  const auto left = std::min({machine, left_by_control_groups(), left_by_ulimit()});
  return left > kNoLimit / 2 ? kNoLimit : resident_memory() + std::max<std::int64_t>(0, left) / processes;
}

}  // namespace scdcf
