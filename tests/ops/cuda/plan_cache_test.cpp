#include "scdcf/ops/cuda/plan_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace scdcf::ops::cuda {
namespace {

TEST(PlanCache, a_plan_is_made_once_for_each_key) {
  PlanCache<int> cache;
  int made = 0;
  const auto find = [&](int size, bool forward) {
    return *cache.find(plan_key(size, forward), [&] { return ++made; });
  };
  EXPECT_EQ(find(7, true), 1);
  EXPECT_EQ(find(7, false), 2);
  EXPECT_EQ(find(8, true), 3);
  EXPECT_EQ(find(7, true), 1);
  EXPECT_EQ(find(7, false), 2);
}

TEST(PlanCache, threads_share_their_plans) {
  PlanCache<int> cache;
  std::atomic<int> made{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i)
        if (*cache.find(plan_key(i % 16), [&] { return ++made, i % 16; }) != i % 16) ++wrong;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(made, 16);
  EXPECT_EQ(wrong, 0);
}

TEST(PlanCache, a_full_one_starts_anew_and_what_is_in_use_stays) {
  PlanCache<int> cache(2);
  const auto first = cache.find("a", [] { return 1; });
  for (const char* key : {"b", "c", "d"}) cache.find(key, [] { return 2; });
  EXPECT_EQ(*first, 1);
  EXPECT_EQ(*cache.find("a", [] { return 3; }), 3);
}

TEST(PlanCache, a_plan_that_cannot_be_made_is_not_kept) {
  PlanCache<int> cache;
  EXPECT_THROW(cache.find("a", []() -> int { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(*cache.find("a", [] { return 1; }), 1);
}

}  // namespace
}  // namespace scdcf::ops::cuda
