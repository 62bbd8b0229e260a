#include "scdcf/data/random.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace scdcf::data {
namespace {

TEST(Random, splitmix_gives_its_published_first_output) { EXPECT_EQ(mix_bits(0), 0xE220A8397B1DCDAFU); }

TEST(Random, output_is_that_of_xoshiro256_star_star) {
  // computed apart from this code
  Random random(7, 1, 2);
  EXPECT_EQ(random.next(), 0x2133D3F64D3B5181U);
  EXPECT_EQ(random.next(), 0xB500879796F93438U);
}

TEST(Random, seed_stream_and_index_each_matter) {
  EXPECT_NE(Random(1).next(), Random(2).next());
  EXPECT_NE(Random(1, 1).next(), Random(1, 2).next());
  EXPECT_NE(Random(1, 1, 1).next(), Random(1, 1, 2).next());
  EXPECT_NE(Random(1, 2).next(), Random(2, 1).next());
}

TEST(Random, uniform_is_uniform) {
  Random random(3);
  std::vector<int> histogram(16);
  double sum = 0;
  for (int i = 0; i < 160000; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    ++histogram[static_cast<std::size_t>(16 * u)];
  }
  EXPECT_NEAR(sum / 160000, 0.5, 0.004);                             // 5 deviations
  for (const int count : histogram) EXPECT_NEAR(count, 10000, 500);  // 5 deviations
}

TEST(Random, below_is_uniform_and_in_range) {
  Random random(4);
  std::vector<int> histogram(7);
  for (int i = 0; i < 70000; ++i) ++histogram.at(random.below(7));
  for (const int count : histogram) EXPECT_NEAR(count, 10000, 470);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, permutation_has_every_index_once) {
  auto order = Random(5).permutation(1000);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (std::int64_t i = 0; i < 1000; ++i) ASSERT_EQ(order[static_cast<std::size_t>(i)], i);
  EXPECT_TRUE(Random(5).permutation(0).empty());
}

}  // namespace
}  // namespace scdcf::data
