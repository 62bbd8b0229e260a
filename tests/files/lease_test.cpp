// A lease has one holder, on however many machines. Processes that pay no heed to file locks stand for other machines.
#include "scdcf/files/lease.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "support/scratch_folder.h"

namespace {

using scdcf::files::LeaseTaker;
constexpr double kSeconds = 0.6;

void sleep_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

pid_t in_process(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  return child;
}

int code_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class Leases : public scdcf::testing::ScratchFolder {
 protected:
  /// A process that holds the lease and renews it until it is killed.
  pid_t holder() const {
    const pid_t child = in_process([this] {
      LeaseTaker taker(kSeconds);
      const auto lease = taker.take(file(), false);
      for (;;) pause();
      return 0;
    });
    while (!std::filesystem::exists(file()) || std::filesystem::file_size(file()) == 0) sleep_for(0.005);
    return child;
  }
  std::filesystem::path file() const { return folder_ / "a.lease"; }
};

TEST_F(Leases, one_holds_it_as_long_as_it_renews_it_and_gives_it_back) {
  double time = 1;
  LeaseTaker mine(kSeconds), others(kSeconds, [&] { return time; });
  {
    const auto lease = mine.take(file(), false);
    ASSERT_TRUE(lease.has_value());
    EXPECT_FALSE(lease->was_left());
    for (int look = 0; look < 5; ++look) {
      EXPECT_FALSE(others.take(file(), false).has_value());
      for (const auto before = read(file()); read(file()) == before;) sleep_for(0.005);
      time += 2 * kSeconds;
    }
    EXPECT_FALSE(lease->is_lost());
  }
  const auto next = others.take(file(), false);
  ASSERT_TRUE(next.has_value());
  EXPECT_FALSE(next->was_left()) << "given back, not lost";
}

TEST_F(Leases, that_of_a_lost_holder_is_over_after_its_time_and_not_before) {
  for (const int signal : {SIGKILL, SIGSTOP}) {
    const pid_t child = holder();
    double time = 1;
    LeaseTaker taker(kSeconds, [&] { return time; });
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, WUNTRACED);  // from here on it renews nothing
    EXPECT_FALSE(taker.take(file(), false).has_value());
    time += 0.99 * kSeconds;
    EXPECT_FALSE(taker.take(file(), false).has_value());
    time += 0.02 * kSeconds;
    const auto lease = taker.take(file(), false);
    ASSERT_TRUE(lease.has_value());
    EXPECT_TRUE(lease->was_left());
    if (signal == SIGSTOP) {  // it comes back, and what it writes is not the lease any more
      kill(child, SIGCONT);
      sleep_for(0.3);
      EXPECT_FALSE(lease->is_lost());
      kill(child, SIGKILL);
      code_of(child);
    }
  }
}

TEST_F(Leases, that_of_a_dead_process_of_this_machine_is_over_at_once_where_a_lock_says_so) {
  const pid_t child = holder();
  kill(child, SIGKILL);
  code_of(child);
  const auto lease = LeaseTaker(60).take(file(), /*others_here_are_gone=*/true);
  ASSERT_TRUE(lease.has_value());
  EXPECT_TRUE(lease->was_left());
}

TEST_F(Leases, of_many_who_find_it_over_one_takes_it) {
  constexpr double kPatience = 10;  // who takes it waits a second for those that the machine has stopped in the middle
  for (int round = 0; round < 3; ++round) {
    const pid_t lost = holder();
    kill(lost, SIGKILL);
    code_of(lost);
    const auto go = folder_ / ("go-" + std::to_string(round));
    std::vector<pid_t> children;
    for (int i = 0; i < 6; ++i) {
      const auto ready = folder_ / ("ready-" + std::to_string(6 * round + i));
      children.push_back(in_process([&] {
        double time = 1;
        LeaseTaker taker(kPatience, [&] { return time; });
        if (taker.take(file(), false)) return 2;
        write(ready, "");
        while (!std::filesystem::exists(go)) sleep_for(0.001);
        time += 2 * kPatience;  // and stands still: only what all have seen before is over
        for (int look = 0; look < 1000; ++look)
          if (const auto lease = taker.take(file(), false)) _exit(1);  // without giving it back
        return 0;
      }));
      while (!std::filesystem::exists(ready)) sleep_for(0.001);
    }
    write(go, "");
    int holders = 0;
    for (const pid_t child : children)
      if (code_of(child) == 1) {
        ++holders;
        EXPECT_NE(read(file()).find(":" + std::to_string(child) + ":"), std::string::npos) << "another has it";
      }
    EXPECT_EQ(holders, 1);
    std::filesystem::remove(file());
  }
}

}  // namespace
