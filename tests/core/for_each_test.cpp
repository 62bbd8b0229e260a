#include "scdcf/core/for_each.h"

#include <gtest/gtest.h>

#include "scdcf/core/error.h"
#include "support/expect_error.h"

namespace scdcf {
namespace {

using testing::expect_error;

TEST(ForEach, every_index_once_and_the_first_failure_wins) {
  std::vector<int> calls(1000);
  for_each(1000, 4, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });
  EXPECT_EQ(calls, std::vector<int>(1000, 1));
  for_each(0, 4, [](std::int64_t) { FAIL(); });
  for (int attempt = 0; attempt < 50; ++attempt)
    expect_error([] { for_each(5000, 4, [](std::int64_t i) { require(i % 1000 != 321, "index ", i, "."); }); },
                 "index 321.");
}

TEST(ForEach, no_more_at_a_time_than_asked_for) {
  std::atomic<int> now{0}, most{0};
  for_each(200, 3, [&](std::int64_t) {
    const int here = ++now;
    for (int seen = most; here > seen && !most.compare_exchange_weak(seen, here);) {
    }
    std::this_thread::yield();
    --now;
  });
  EXPECT_LE(most, 3);
}

}  // namespace
}  // namespace scdcf
