#include "scdcf/train/time_estimate.h"

#include <gtest/gtest.h>

namespace {

using scdcf::train::TimeEstimate;

TEST(TimeEstimate, knows_nothing_before_the_second_step_and_leaves_the_first_out) {
  TimeEstimate estimate(10);
  EXPECT_LT(estimate.seconds_left(5, 100), 0);
  estimate.add_step(100);
  EXPECT_LT(estimate.seconds_left(5, 100), 0);
  estimate.add_step(3);
  EXPECT_DOUBLE_EQ(estimate.seconds_left(5, 0), 15);
}

TEST(TimeEstimate, counts_images_that_are_only_looked_at) {
  TimeEstimate estimate(10);
  estimate.add_step(100);
  estimate.add_step(3);
  EXPECT_DOUBLE_EQ(estimate.seconds_left(5, 100), 15 + 10) << "a third of training on them, before one was seen";
  estimate.add_images(50, 1);
  EXPECT_DOUBLE_EQ(estimate.seconds_left(5, 100), 15 + 2);
}

TEST(TimeEstimate, of_a_test_alone_comes_from_its_own_images) {
  TimeEstimate estimate(10);
  EXPECT_LT(estimate.seconds_left(0, 100), 0);
  estimate.add_images(50, 1);
  EXPECT_DOUBLE_EQ(estimate.seconds_left(0, 100), 2);
}

}  // namespace
