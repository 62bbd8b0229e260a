// How much memory this process has and may have, in bytes.
#pragma once

#include <cstdint>
#include <filesystem>

namespace scdcf {

std::int64_t resident_memory();
/// Freed and not yet returned to the system: the next allocations take it first.
std::int64_t unused_heap();

/// A limit on all that this process uses; 0 for what the machine has.
void set_memory_limit(std::int64_t bytes);
/// What each of some processes on this machine may use: the limit that was set, or what is resident and the least of
/// what the machine, the control groups and `ulimit -v` leave.
std::int64_t memory_limit(int processes = 1);

/// What the control groups of this process (version 1 or 2) leave; files are read below `root`.
std::int64_t left_by_control_groups(const std::filesystem::path& root = "/");

}  // namespace scdcf
