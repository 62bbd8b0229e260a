#include "scdcf/distributed/group.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "scdcf/distributed/folder_store.h"
#include "support/expect_error.h"
#include "support/ranks.h"
#include "support/scratch_folder.h"

namespace scdcf::distributed {
namespace {

using GroupOfRanks = testing::RanksTest;

TEST_F(GroupOfRanks, sums_are_bitwise_the_same_on_every_rank) {
  constexpr int kRanks = 3;
  std::vector<torch::Tensor> sums(kRanks);
  testing::in_ranks(kRanks, [&](Group& group) {
    const auto values = torch::arange(1001, torch::kFloat).div_(7).sin_().mul_(group.rank() + 0.1);
    group.sum(values);
    sums[static_cast<size_t>(group.rank())] = values;
  });
  const auto expected = torch::arange(1001, torch::kFloat).div_(7).sin_().mul_(3.3);
  EXPECT_TRUE(torch::allclose(sums[0], expected, 1e-5, 1e-6));
  for (const auto& sum : sums) EXPECT_TRUE(torch::equal(sum, sums[0]));
}

TEST_F(GroupOfRanks, the_derivative_of_a_sum_is_the_sum_of_derivatives) {
  testing::in_ranks(2, [](Group& group) {
    const auto part = torch::ones({2}, torch::requires_grad());
    // Rank r makes (r + 1) times the sum of it: the loss of all is 3 times the sum.
    (group.differentiable_sum(part) * static_cast<double>(group.rank() + 1)).sum().backward();
    EXPECT_TRUE(torch::equal(part.grad(), torch::full({2}, 3.0)));
  });
}

TEST_F(GroupOfRanks, texts_and_tensors_of_rank_0_reach_all) {
  testing::in_ranks(3, [](Group& group) {
    const auto texts = group.exchange("names", "rank " + std::to_string(group.rank()));
    EXPECT_EQ(texts, (std::vector<std::string>{"rank 0", "rank 1", "rank 2"}));
    EXPECT_EQ(group.from_first("word", group.is_first() ? "first" : "other"), "first");
    const auto tensor = torch::full({4}, group.rank(), torch::kLong);
    group.broadcast(tensor);
    EXPECT_EQ(tensor.sum().item<int64_t>(), 0);
  });
}

TEST_F(GroupOfRanks, a_failure_is_told_once_and_reaches_those_who_wait) {
  std::mutex mutex;
  int first = 0, lost = 0;
  testing::in_ranks(3, [&](Group& group) {
    if (group.rank() == 1) {
      const bool was_first = group.tell_failure("the disk is full");
      const std::lock_guard<std::mutex> lock(mutex);
      first += was_first ? 1 : 0;
      return;
    }
    try {
      group.exchange("never", "");
    } catch (const LostRank& failure) {
      EXPECT_STREQ(failure.what(), "rank 1: the disk is full");
      EXPECT_EQ(failure.is_told(), group.rank() != 0) << "rank 0 repeats it";
      const std::lock_guard<std::mutex> lock(mutex);
      ++lost;
    }
  });
  EXPECT_EQ(first, 1);
  EXPECT_EQ(lost, 2);
}

TEST_F(GroupOfRanks, the_first_stays_until_the_others_have_left) {
  std::atomic<bool> first_leaves{false};
  testing::in_ranks(2, [&](Group& group) {
    group.exchange("names", "");
    if (group.is_first()) first_leaves = true;
    while (!first_leaves) std::this_thread::yield();
    for (int i = 0; !group.is_first() && i < 50; ++i) {  // with rank 0 goes the store, which has all these texts
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      EXPECT_EQ(group.exchange("names", "").size(), 2U);
    }
  });
}

TEST_F(GroupOfRanks, of_one_machine_share_a_folder_instead_of_a_port) {
  const testing::TemporaryFolder folder;
  testing::in_ranks(
      3,
      [](Group& group) {
        EXPECT_EQ(group.exchange("names", std::to_string(group.rank())), (std::vector<std::string>{"0", "1", "2"}));
        const auto ones = torch::ones({5});
        group.sum(ones);
        EXPECT_TRUE(torch::equal(ones, torch::full({5}, 3.0)));
        group.from_first("over", "");
        if (group.rank() == 1) {
          EXPECT_TRUE(group.tell_failure("the disk is full"));
        }
        if (group.rank() == 2) testing::expect_error([&] { group.exchange("never", ""); }, "rank 1: the disk is full");
      },
      folder.path());
  FolderStore store(folder.path(), std::chrono::milliseconds(10));
  testing::expect_error([&] { store.get("missing"); }, "missing: not set within 10 ms");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 25; ++j) store.add("count", 1);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(store.add("count", 0), 100);
}

TEST(Group, names_who_did_not_come) {
  const Place alone{0, 2, 0, 2, "127.0.0.1", testing::free_port()};
  GroupOptions options;
  options.join_seconds = 1.5;  // the sockets count whole seconds
  testing::expect_error([&] { Group(alone, torch::kCPU, options); }, "rank 1 did not come within 1.5 s");
  const Place other{1, 2, 1, 2, "127.0.0.1", testing::free_port()};
  testing::expect_error([&] { Group(other, torch::kCPU, options); }, "rank 1: could not reach rank 0 at 127.0.0.1");
}

}  // namespace
}  // namespace scdcf::distributed
