// Several runs in one process: never more at a time than asked for, and none begun after a stop or a failure.
#include "scdcf/train/jobs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "scdcf/core/error.h"
#include "support/expect_error.h"

namespace {

using namespace scdcf;
using scdcf::testing::expect_error;

bool never() { return false; }

TEST(Jobs, a_thousand_runs_are_made_at_most_as_many_at_a_time_as_asked_for) {
  for (const int jobs : {1, 3}) {
    std::atomic<int> running{0}, most{0};
    std::vector<std::atomic<int>> made(1000);
    EXPECT_TRUE(train::make_runs(1000, jobs, never, [&](std::int64_t i) {
      const int now = ++running;
      for (int before = most; before < now && !most.compare_exchange_weak(before, now);) continue;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      ++made[static_cast<size_t>(i)];
      --running;
      return true;
    }));
    EXPECT_LE(most, jobs);
    EXPECT_TRUE(std::all_of(made.begin(), made.end(), [](const auto& times) { return times == 1; }));
  }
}

TEST(Jobs, tells_that_a_run_did_not_come_to_its_end) {
  EXPECT_FALSE(train::make_runs(3, 1, never, [](std::int64_t i) { return i != 1; }));
}

TEST(Jobs, begins_no_run_after_a_stop) {
  std::set<std::int64_t> made;
  const auto stop = [&] { return made.count(1) > 0; };
  EXPECT_FALSE(train::make_runs(5, 1, stop, [&](std::int64_t i) { return made.insert(i).second; }));
  EXPECT_EQ(made, (std::set<std::int64_t>{0, 1}));
}

TEST(Jobs, begins_no_run_after_one_has_failed) {
  std::set<std::int64_t> made;
  const auto make = [&](std::int64_t i) {
    require(i != 1, "no room left");
    return made.insert(i).second;
  };
  expect_error([&] { train::make_runs(5, 1, never, make); }, "no room left");
  EXPECT_EQ(made, (std::set<std::int64_t>{0}));
}

TEST(Jobs, more_than_one_at_a_time_is_for_a_gpu) {
  EXPECT_NO_THROW(train::check_jobs(1, "cpu"));
  EXPECT_NO_THROW(train::check_jobs(8, "cuda:1"));
  expect_error([] { train::check_jobs(2, "cpu"); }, "jobs: got 2", "CPU");
  expect_error([] { train::check_jobs(0, "cuda"); }, "jobs: got 0");
}

}  // namespace
