#include "scdcf/core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "scdcf/core/runtime.h"
#include "support/expect_error.h"

namespace scdcf {
namespace {

TEST(Parallel, runs_every_task_once) {
  std::vector<std::atomic<int>> calls(37);
  run_parallel(37, [&](int64_t i) { ++calls[static_cast<size_t>(i)]; });
  for (const auto& count : calls) EXPECT_EQ(count, 1);
  run_parallel(0, [](int64_t) { ADD_FAILURE(); });
}

TEST(Parallel, runs_two_tasks_at_the_same_time) {
  const int before = threads();
  set_threads(2);
  // Each task waits for the other: on one thread the first would wait in vain.
  std::atomic<int> arrived{0};
  std::atomic<int> met{0};
  run_parallel(2, [&](int64_t) {
    ++arrived;
    const auto start = std::chrono::steady_clock::now();
    while (arrived < 2 && std::chrono::steady_clock::now() - start < std::chrono::seconds(10))
      std::this_thread::yield();
    if (arrived == 2) ++met;
  });
  set_threads(before);
  EXPECT_EQ(met, 2);
}

TEST(Runtime, thread_counts_out_of_range_are_named) {
  testing::expect_error([] { set_threads(-1); }, "threads", "got -1");
  testing::expect_error([] { set_threads(100000); }, "threads", "got 100000");
}

TEST(Runtime, knows_its_blas_and_version) {
  EXPECT_FALSE(std::string(version()).empty());
  EXPECT_FALSE(std::string(commit()).empty());
  const auto blas = blas_in_use();
  EXPECT_FALSE(blas.name.empty());
  EXPECT_EQ(blas.slow, blas.name == "reference");
}

}  // namespace
}  // namespace scdcf
