#include "scdcf/core/memory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "support/scratch_folder.h"

namespace {

namespace fs = std::filesystem;

class Memory : public scdcf::testing::ScratchFolder {
 protected:
  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file) << text;
  }
};

TEST_F(Memory, control_groups_of_version_2_leave_what_the_tightest_does_and_do_not_count_cached_files) {
  write("proc/self/cgroup", "0::/jobs/mine\n");
  write("sys/fs/cgroup/jobs/memory.max", "5000\n");
  write("sys/fs/cgroup/jobs/memory.current", "3000\n");
  write("sys/fs/cgroup/jobs/memory.stat", "anon 2000\ninactive_file 1000\n");
  write("sys/fs/cgroup/jobs/mine/memory.max", "max\n");
  EXPECT_EQ(scdcf::left_by_control_groups(folder_), 3000);
  write("sys/fs/cgroup/jobs/mine/memory.max", "2000\n");
  EXPECT_EQ(scdcf::left_by_control_groups(folder_), 2000);
}

TEST_F(Memory, control_groups_of_version_1_too_also_where_their_folder_is_not_mounted) {
  write("proc/self/cgroup", "5:cpu:/docker/1\n4:memory:/docker/1\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "900");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "500");
  write("sys/fs/cgroup/memory/memory.stat", "total_inactive_file 100\n");
  EXPECT_EQ(scdcf::left_by_control_groups(folder_), 500);
}

TEST_F(Memory, without_control_groups_there_is_no_limit) {
  EXPECT_GT(scdcf::left_by_control_groups(folder_), std::int64_t{1} << 60);
}

TEST_F(Memory, what_is_resident_follows_what_is_allocated) {
  const auto before = scdcf::resident_memory();
  constexpr std::int64_t kSize = 64 << 20;
  const std::vector<char> block(kSize, 1);
  EXPECT_GE(scdcf::resident_memory() - before, kSize * 9 / 10);
  EXPECT_GT(scdcf::memory_limit(), scdcf::resident_memory());
}

TEST_F(Memory, a_limit_that_was_set_is_shared_by_processes) {
  scdcf::set_memory_limit(1000);
  EXPECT_EQ(scdcf::memory_limit(), 1000);
  EXPECT_EQ(scdcf::memory_limit(4), 250);
  scdcf::set_memory_limit(0);
  EXPECT_GT(scdcf::memory_limit(), 1000);
}

}  // namespace
