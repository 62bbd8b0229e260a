// One process at a time, and a killed one holds nothing.
#include "scdcf/files/folder_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "support/expect_error.h"
#include "support/scratch_folder.h"

namespace {

using scdcf::files::FolderLock;
using scdcf::testing::expect_error;
using FolderLockTest = scdcf::testing::ScratchFolder;

TEST_F(FolderLockTest, one_holder_at_a_time_and_nothing_stays_behind) {
  FolderLock::require_free(folder_);
  EXPECT_TRUE(names_in(folder_).empty()) << "looking writes nothing";
  {
    const FolderLock held(folder_);
    const auto process = "process " + std::to_string(getpid()) + " on ";
    expect_error([&] { const FolderLock second(folder_); }, folder_.string(), process, "since 20");
    expect_error([&] { FolderLock::require_free(folder_); }, folder_.string(), process);
  }
  EXPECT_TRUE(names_in(folder_).empty());
  FolderLock::require_free(folder_);
  const FolderLock again(folder_);
}

TEST_F(FolderLockTest, a_killed_process_gives_it_up) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const FolderLock held(folder_);
    if (::write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  expect_error([&] { const FolderLock second(folder_); }, "process " + std::to_string(child));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(names_in(folder_), std::vector<std::string>{FolderLock::kFile}) << "what it left";
  FolderLock::require_free(folder_);
  const FolderLock held(folder_);
}

TEST_F(FolderLockTest, of_many_that_come_and_go_only_one_holds_it_at_once) {
  int inside = 0, most = 0, times = 0;  // written by the holder alone: the lock is what is tested
  const auto work = [&] {
    for (int i = 0; i < 50;) try {
        const FolderLock held(folder_);
        most = std::max(most, ++inside);
        std::this_thread::yield();
        --inside;
        ++times, ++i;
      } catch (const scdcf::Error&) {
      }
  };
  std::thread one(work), other(work);
  one.join();
  other.join();
  EXPECT_EQ(most, 1);
  EXPECT_EQ(times, 100);
}

}  // namespace
