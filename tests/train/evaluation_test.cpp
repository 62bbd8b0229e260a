// Known predictions give known accuracies; predictions do not depend on how images are batched.
#include "scdcf/train/evaluation.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "train/tiny.h"

namespace {

using namespace scdcf;
using scdcf::testing::expect_error;

data::ImageSet labelled(std::vector<int32_t> labels, std::vector<float> scales) {
  data::ImageSet set;
  set.height = set.width = 1;
  set.pixels.assign(labels.size(), 0);
  set.labels = std::move(labels);
  set.scales = std::move(scales);
  set.class_names = {"cat", "dog", "newt"};
  return set;
}

train::Predictions predicted(const std::vector<int64_t>& labels) {
  train::Predictions predictions;
  predictions.labels = torch::tensor(labels);
  return predictions;
}

TEST(Evaluation, counts_right_and_wrong_by_class_and_by_size) {
  const auto set = labelled({0, 0, 1, 1, 1, 0}, {0.3F, 0.35F, 0.7F, 0.4F, 1.0F, 0.95F});
  const auto result = train::evaluate(set, predicted({0, 1, 1, 1, 2, 0}));
  ASSERT_EQ(result.classes.size(), 3U);
  EXPECT_EQ(result.classes[0].count, 3);
  EXPECT_DOUBLE_EQ(result.classes[0].accuracy(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(result.classes[1].accuracy(), 2.0 / 3);
  EXPECT_EQ(result.classes[2].count, 0);
  EXPECT_EQ(result.classes[2].accuracy(), 0);
  ASSERT_EQ(result.scales.size(), 7U) << "0.3-0.4 to 0.9-1.0";
  EXPECT_EQ(result.scales[0].name, "0.3-0.4");
  const int64_t counts[] = {2, 1, 0, 0, 1, 0, 2}, correct[] = {1, 1, 0, 0, 1, 0, 1};
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(result.scales[i].count, counts[i]) << i;
    EXPECT_EQ(result.scales[i].correct, correct[i]) << i;
  }
}

TEST(Evaluation, sizes_and_places_that_are_read_are_compared_with_those_of_the_objects) {
  auto set = labelled({0, 0, 1}, {0.5F, 0.4F, 1.0F});
  set.height = set.width = 10;
  set.centres = {{5, 5}, {2, 2}, {8, 5}};
  auto said = predicted({0, 0, 1});
  said.sizes = torch::tensor({0.25F, 0.25F, 0.6F});  // 0.5, 0.625 and 0.6 times as large as they are
  said.beyond = torch::tensor({-1, 0, 1});
  said.places = torch::tensor({{5.0F, 5.0F}, {5.0F, 6.0F}, {8.0F, 4.0F}});
  const auto as_read = train::evaluate(set, said), calibrated = train::evaluate(set, said, 2);
  EXPECT_NEAR(as_read.size_error, 0.4, 1e-6);
  EXPECT_NEAR(calibrated.size_error, 0.2, 1e-6) << "of 0, 0.25 and 0.2";
  EXPECT_EQ(as_read.beyond, 2);
  EXPECT_NEAR(as_read.place_error, 0.1, 1e-6) << "of 0, 5 and 1 pixels of 10";
  const auto json = train::to_json(calibrated);
  EXPECT_NEAR(json.at("size_error").get<double>(), 0.2, 1e-6);
  EXPECT_EQ(json.at("beyond_range"), 2);
}

TEST(Evaluation, sizes_that_a_set_names_are_groups_of_their_own) {
  auto set = labelled({0, 0, 1, 1}, {0.125F, 2.0F, 0.125F, 1.189207F / 4});
  set.all_sizes = {{0.125F, "s = 0.5"}, {1.0F / 4, "s = 1"}, {1.189207F / 4, "s = 1.19"}, {2.0F, "s = 8"}};
  const auto result = train::evaluate(set, predicted({0, 0, 0, 1}));
  ASSERT_EQ(result.scales.size(), 4U);
  const int64_t counts[] = {2, 0, 1, 1}, correct[] = {1, 0, 1, 1};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(result.scales[i].name, set.all_sizes[i].name);
    EXPECT_EQ(result.scales[i].count, counts[i]) << i;
    EXPECT_EQ(result.scales[i].correct, correct[i]) << i;
    EXPECT_EQ(result.scales[i].from, set.all_sizes[i].scale);
  }
  EXPECT_EQ(train::to_json(result).at("scales").at(3).at("size"), "s = 8");
}

TEST(Evaluation, groups_add_up_to_the_whole) {
  const auto set = scdcf::testing::tiny_splits(20, 20, 200).test;
  torch::manual_seed(1);
  train::Predictions predictions;
  predictions.labels = torch::randint(10, {200}, torch::kLong);
  const auto result = train::evaluate(set, predictions);
  const auto expected = predictions.labels.eq(torch::tensor(set.labels)).sum().item<int64_t>();
  for (const auto* groups : {&result.classes, &result.scales}) {
    int64_t count = 0, correct = 0;
    for (const auto& group : *groups) {
      count += group.count;
      correct += group.correct;
    }
    EXPECT_EQ(count, 200);
    EXPECT_EQ(correct, expected);
  }
  const auto json = train::to_json(result);
  EXPECT_EQ(json.at("classes").size(), 10U);
  EXPECT_EQ(json.at("scales").size(), result.scales.size());
}

TEST(Evaluation, refuses_predictions_that_do_not_fit_the_set) {
  expect_error([] { train::evaluate(labelled({0, 1}, {}), predicted({0})); }, "1 predictions", "expected 2");
  expect_error([] { train::evaluate(labelled({0, 1}, {0.5F}), predicted({0, 1})); }, "1 sizes", "expected 2");
}

TEST(Evaluation, predictions_do_not_depend_on_the_batch) {
  const auto splits = scdcf::testing::tiny_splits();
  auto config = scdcf::testing::tiny_config();
  torch::manual_seed(2);
  auto network = models::make_model(config.model);
  network->to(scdcf::testing::device());
  network->train();
  const train::DeviceImages images(splits.test, splits.mean, splits.deviation, scdcf::testing::device());
  const auto whole = train::predict(*network, images, 1000);
  EXPECT_TRUE(network->is_training()) << "the mode must be as before";
  EXPECT_EQ(whole.labels.size(0), 40);
  for (const int64_t batch : {1, 7, 40}) {
    const auto parts = train::predict(*network, images, batch);
    EXPECT_TRUE(torch::equal(parts.labels, whole.labels)) << batch;
    EXPECT_TRUE(torch::allclose(parts.confidence, whole.confidence, 1e-4, 1e-5)) << batch;
    EXPECT_NEAR(parts.loss, whole.loss, 1e-4);
    EXPECT_EQ(parts.accuracy, whole.accuracy);
  }
  const auto expected = whole.labels.eq(torch::tensor(splits.test.labels)).to(torch::kDouble).mean().item<double>();
  EXPECT_DOUBLE_EQ(whole.accuracy, expected);
  EXPECT_GE(whole.confidence.min().item<double>(), 0.1);  // the most likely of ten
}

TEST(DeviceImages, are_normalised_as_the_formula_says) {
  data::ImageSet set;
  set.channels = 2;
  set.height = 1;
  set.width = 2;
  set.pixels = {0, 255, 51, 102, 10, 20, 30, 40};
  set.labels = {1, 0};
  const train::DeviceImages images(set, {0.2, 0.5}, {0.5, 0.25}, scdcf::testing::device());
  const auto got = images.images(torch::tensor({1, 0}, scdcf::testing::on_device(torch::kLong))).cpu();
  ASSERT_EQ(got.sizes(), torch::IntArrayRef({2, 2, 1, 2}));
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t c = 0; c < 2; ++c)
      for (int64_t x = 0; x < 2; ++x) {
        const double pixel = set.pixels[static_cast<size_t>(((1 - i) * 2 + c) * 2 + x)];
        EXPECT_NEAR(got[i][c][0][x].item<double>(), (pixel / 255 - (c == 0 ? 0.2 : 0.5)) / (c == 0 ? 0.5 : 0.25), 1e-6);
      }
  EXPECT_NEAR(images.black()[0][1][0][0].item<double>(), -2, 1e-6);
  EXPECT_TRUE(torch::equal(images.labels(images.range(0, 2)).cpu(), torch::tensor({1, 0}, torch::kLong)));
  EXPECT_TRUE(torch::equal(images.range(1, 5).cpu(), torch::tensor({1}, torch::kLong)));  // there are no more
}

}  // namespace
