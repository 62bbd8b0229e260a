#include "scdcf/models/scale_plan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scdcf/models/registry.h"
#include "support/expect_error.h"

namespace scdcf::models {
namespace {

/// Digits of 0.8 to 1 of the image, as the scaled sets have them.
ModelOptions trained_on(double smallest, double largest) {
  ModelOptions options;
  options.name = "scdcfnet-full";
  options.smallest_object = smallest;
  options.largest_object = largest;
  return options;
}

ScalePlan planned(const ModelOptions& options) {
  auto resolved = resolve(options);
  return plan_scales(resolved, resolved.planes_per_level);
}

TEST(ScalePlan, every_size_of_the_range_is_within_half_a_step_of_the_home_of_a_plane) {
  for (const auto& [smaller, larger] : {std::pair(1.0, 1.0), {3.0, 1.0}, {2.0, 1.5}, {1.0, 2.0}, {4.0, 2.0}})
    for (const int planes : {1, 2, 4}) {
      auto options = trained_on(0.8, 1);
      options.smaller = smaller;
      options.larger = larger;
      options.planes_per_level = planes;
      const auto plan = planned(options);
      for (double size = 0.8 / smaller; size <= larger; size *= 1.02) {
        double nearest = 1e9;
        for (int s = 0; s < plan.planes(); ++s)
          nearest = std::min(nearest, std::abs(std::log2(size / plan.home_size(s))));
        EXPECT_LE(nearest, plan.step / 2 + 1e-6) << size << " of " << describe(plan);
      }
    }
}

TEST(ScalePlan, an_object_at_home_spans_the_widths_asked_for_and_lies_within_the_frame) {
  auto options = trained_on(0.8, 1);
  options.smaller = 3;
  const auto plan = planned(options);
  for (int level = 0; level < plan.levels(); ++level)
    for (int i = 0; i < plan.planes_per_level; ++i) {
      const double pixels =
          plan.home_size(level * plan.planes_per_level + i) * 28 * plan.enlargements[static_cast<size_t>(level)];
      EXPECT_NEAR(pixels, plan.span * plan.finest_width * std::exp2(i * plan.step), 1e-9);
      EXPECT_LE(pixels, static_cast<double>(plan.frames[static_cast<size_t>(level)]) + 2);
    }
}

TEST(ScalePlan, training_planes_are_the_home_of_what_was_trained_on) {
  auto options = trained_on(0.8, 1);
  options.smaller = 3;
  const auto plan = planned(options);
  EXPECT_LE(plan.home_size(plan.first_home), 0.8 + 1e-9);
  EXPECT_GT(plan.home_size(plan.first_home + 1), 0.8);
  EXPECT_EQ(plan.last_home, plan.planes() - 1);
  EXPECT_NEAR(plan.home_size(plan.last_home), 1, 1e-9);
  EXPECT_LE(plan.home_size(0), 0.8 / 3 + 1e-9);
  EXPECT_FALSE(plan.is_home_level(0));
  EXPECT_TRUE(plan.is_home_level(plan.levels() - 1));
}

TEST(ScalePlan, training_has_seen_objects_as_small_and_as_large_beside_their_home_as_any_size_will_appear) {
  for (const double trained : {0.5, 1.0}) {
    auto options = trained_on(0.8 * trained, trained);
    options.smaller = trained == 1 ? 3 : 2;
    options.larger = 1 / trained;
    const auto plan = planned(options);
    auto seen = plan.enlargements;
    seen.insert(seen.end(), plan.training_enlargements.begin(), plan.training_enlargements.end());
    EXPECT_EQ(plan.training_frames.size(), plan.training_enlargements.size());
    for (const double home : plan.enlargements)
      for (const double other : plan.enlargements) {
        bool was_seen = false;
        for (int level = 0; level < plan.levels(); ++level)
          for (const double enlargement : seen) {
            const double ratio = enlargement / plan.enlargements[static_cast<size_t>(level)];
            was_seen |= plan.is_home_level(level) && std::abs(ratio / (other / home) - 1) < 1e-9;
          }
        EXPECT_TRUE(was_seen) << other / home << " times as large as at home, of " << describe(plan);
      }
  }
}

TEST(ScalePlan, where_it_is_left_open_the_range_is_twice_either_way_but_no_larger_than_the_image) {
  auto options = resolve(trained_on(0.8, 1));
  EXPECT_EQ(options.smaller, 2);
  EXPECT_EQ(options.larger, 1);
  options = resolve(trained_on(0.3, 0.4));
  EXPECT_NEAR(options.smaller, 0.3 * 28 / 5, 1e-9);  // five pixels across
  EXPECT_EQ(options.larger, 2);
  options = resolve(trained_on(0.3, 1));  // a range by itself
  EXPECT_EQ(options.smaller, 1);
  EXPECT_EQ(options.larger, 1);
}

TEST(ScalePlan, says_what_it_was_planned_for) {
  auto options = trained_on(0.8, 1);
  options.smaller = 3;
  const auto text = describe(planned(options));
  EXPECT_NE(text.find("0.33 to 1 times the size trained on; 9 planes"), std::string::npos) << text;
}

TEST(ScalePlan, large_images_have_no_training_level_that_cannot_be_sampled) {
  for (const char* read_out : {"centre", "anywhere"})
    for (const std::int64_t size : {320, 1024}) {
      auto options = trained_on(1, 1);
      options.image_size = size;
      options.smaller = 8;
      options.larger = 1;
      options.read_out = read_out;
      const auto plan = planned(options);
      ASSERT_FALSE(plan.training_enlargements.empty());
      for (const double enlargement : plan.training_enlargements) EXPECT_GE(enlargement, 1.0 / 64) << size;
      EXPECT_NO_THROW(make_model(options)) << size;
    }
}

TEST(ScalePlan, refuses_objects_that_show_nothing_and_those_the_image_cannot_hold) {
  auto options = trained_on(0.8, 1);
  options.smaller = 10;
  testing::expect_error([&] { resolve(options); }, "smaller: got 10", "2.24 pixels", "at most 4.48");
  options = trained_on(0.8, 1);
  options.larger = 3;
  testing::expect_error([&] { resolve(options); }, "larger: got 3", "3 times as large as the image");
  options = trained_on(1, 1);
  options.image_size = 1024;
  options.larger = 2.1;
  testing::expect_error([&] { resolve(options); }, "images of 1024 pixels are enlarged 0.01",
                        "expected 1/64 to 64 times");
  options = trained_on(0.8, 1);
  options.frame = 30;
  testing::expect_error([&] { resolve(options); }, "frame", "30", "multiple of 4");
}

}  // namespace
}  // namespace scdcf::models
