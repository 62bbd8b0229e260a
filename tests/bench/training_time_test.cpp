#include "scdcf/bench/training_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace scdcf::bench {
namespace {

TEST(AffordableSide, is_the_largest_within_the_limit) {
  const auto area = [](int side) { return 0.1 * side * side; };  // 77 pixels in 600 s
  EXPECT_EQ(affordable_side(1024, 600, area).side, 64);
  EXPECT_DOUBLE_EQ(affordable_side(1024, 600, area).seconds, area(64));
  EXPECT_EQ(affordable_side(52, 600, area).side, 52) << "no larger than the images";
  EXPECT_EQ(affordable_side(1024, 200, area).side, 44);
  EXPECT_EQ(affordable_side(1024, 1, area).side, 32) << "the smallest, where none is";
  EXPECT_EQ(affordable_side(20, 1, area).side, 20);
}

TEST(AffordableSide, measures_again_where_costs_grow_faster_than_the_area) {
  std::vector<int> tried;
  const auto found = affordable_side(1024, 600, [&](int side) {
    tried.push_back(side);
    return side * side * side / 1000.0;
  });
  EXPECT_LE(found.seconds, 600);
  EXPECT_EQ(found.side, tried.back());
  EXPECT_GT(std::pow(2 * found.side, 3) / 1000, 600) << "not much smaller than it could be";
  EXPECT_LE(tried.size(), 6U);
}

TEST(TrainingSeconds, count_images_epochs_and_teachers) {
  data::ImageSet train;
  train.class_names = {"a", "b"};
  train.labels.assign(1000, 0);
  train::RunConfig config;
  config.model.name = "cnn";
  config.model.channels = {2, 2, 2};
  config.model.hidden = 4;
  config.train.epochs = 1;
  const double one = training_seconds(config, train, 32);
  config.train.epochs = 1000;
  config.train.teachers = 3;
  EXPECT_GT(one, 0);
  EXPECT_GT(training_seconds(config, train, 32), 100 * one) << "4000 times as long, but for a busy machine";
}

}  // namespace
}  // namespace scdcf::bench
