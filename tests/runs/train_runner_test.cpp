// Runs that are made by training: what is measured of them beside the accuracy.
#include "scdcf/runs/train_runner.h"

#include <gtest/gtest.h>

namespace {

using namespace scdcf;
using namespace scdcf::runs;

/// A network that has seen a few images of the set, measured at all sizes.
RunRecord made_on(const data::DataOptions& data) {
  PlannedRun run;
  run.measure = Measure::scales;
  run.config.model.name = "cnn";
  run.config.model.channels = {2, 2, 2};
  run.config.data = data;
  run.config.data.train_size = run.config.data.validation_size = 16;
  run.config.data.test_size = 100;
  run.config.train.epochs = 1;
  run.config.train.batch = 8;
  SplitsCache cache;
  return make_train_runner(cache, {})(run, [](const RunProgress&) {}).value();
}

/// Sizes of the groups that have images, smallest and largest, and how many images there are.
struct Tested {
  std::size_t sizes = 0;
  double smallest = 10, largest = 0;
  int images = 0;
};
Tested tested(const RunRecord& record) {
  Tested tested;
  for (const auto& group : record.measurements.at("scales")) {
    if (group.at("count") == 0) continue;
    ++tested.sizes;
    tested.smallest = std::min(tested.smallest, group.at("from").get<double>());
    tested.largest = std::max(tested.largest, group.at("to").get<double>());
    tested.images += group.at("count").get<int>();
  }
  return tested;
}

TEST(TrainRunner, measures_every_size_whatever_was_trained_on) {
  data::DataOptions stir, large, scaled;
  stir.name = "stir-glyphs";
  stir.smallest_size = 49;
  const auto at_pixels = tested(made_on(stir));
  EXPECT_GT(at_pixels.sizes, 16U) << "more than were trained on";
  EXPECT_LT(at_pixels.smallest, 20 / 64.0);
  EXPECT_EQ(at_pixels.largest, 1);
  EXPECT_EQ(at_pixels.images, 100);
  large.name = "glyphs-large-scale";
  large.train_scale = 4;
  large.test_scale = 4;
  const auto at_scales = tested(made_on(large));
  EXPECT_EQ(at_scales.sizes, 17U);
  EXPECT_EQ(at_scales.smallest, 0.125);
  EXPECT_EQ(at_scales.largest, 2);
  scaled.name = "sglyphs";
  scaled.smallest_factor = 0.8;
  const auto at_factors = tested(made_on(scaled));
  EXPECT_NEAR(at_factors.smallest, 0.3, 1e-9);
  EXPECT_NEAR(at_factors.largest, 1, 1e-9);
}

}  // namespace
