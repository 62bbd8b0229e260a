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
using Clock = std::chrono::steady_clock;
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

TEST_F(Leases, one_holds_it_as_long_as_it_lives_and_gives_it_back) {
  LeaseTaker mine(kSeconds), others(kSeconds);
  {
    const auto lease = mine.take(file(), false);
    ASSERT_TRUE(lease.has_value());
    EXPECT_FALSE(lease->was_left());
    const auto until = Clock::now() + std::chrono::milliseconds(1500);
    while (Clock::now() < until) {
      EXPECT_FALSE(others.take(file(), false).has_value());
      sleep_for(0.02);
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
    LeaseTaker taker(kSeconds);
    EXPECT_FALSE(taker.take(file(), false).has_value());
    kill(child, signal);
    const auto started = Clock::now();
    std::optional<scdcf::files::Lease> lease;
    while (!(lease = taker.take(file(), false))) sleep_for(0.01);
    const double waited = std::chrono::duration<double>(Clock::now() - started).count();
    EXPECT_GE(waited, 0.7 * kSeconds);
    EXPECT_LT(waited, kSeconds + 5);
    EXPECT_TRUE(lease->was_left());
    if (signal == SIGSTOP) {  // it comes back, and what it writes is not the lease any more
      kill(child, SIGCONT);
      sleep_for(0.3);
      EXPECT_FALSE(lease->is_lost());
      kill(child, SIGKILL);
    }
    code_of(child);
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
  for (int round = 0; round < 3; ++round) {
    const pid_t lost = holder();
    kill(lost, SIGKILL);
    code_of(lost);
    std::vector<pid_t> children;
    for (int i = 0; i < 6; ++i)
      children.push_back(in_process([this] {
        LeaseTaker taker(kSeconds);
        const auto until = Clock::now() + std::chrono::milliseconds(1800);
        while (Clock::now() < until) {
          if (const auto lease = taker.take(file(), false)) {
            sleep_for(2.5);  // past the others' patience
            return lease->is_lost() ? 2 : 1;
          }
          sleep_for(0.002);
        }
        return 0;
      }));
    int holders = 0;
    for (const pid_t child : children) holders += code_of(child);
    EXPECT_EQ(holders, 1);
    std::filesystem::remove(file());
  }
}

}  // namespace
