// What must be true of networks whose scores move with the size of the object.
#include "scdcf/models/pyramid.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "scdcf/models/pyramid_scores.h"
#include "support/device.h"
#include "support/expect_error.h"

namespace scdcf::models {
namespace {

ModelOptions small_pyramid(const std::string& name) {
  ModelOptions options;
  options.name = name;
  options.classes = 4;
  options.channels = {4, 6, 8};
  if (name == "resnet16-full") options.channels = {4, 4, 6, 8};
  options.hidden = 16;
  options.dropout = 0;
  options.smallest_object = 0.8;
  options.largest_object = 1;
  options.smaller = 3;
  return options;
}

class Pyramid : public ::testing::TestWithParam<std::string> {
 protected:
  std::shared_ptr<Network> made(const ModelOptions& options) const {
    torch::manual_seed(4);
    auto network = make_model(options);
    network->to(testing::device());
    return network;
  }
  static ScalePlan plan_of(const ModelOptions& options) {
    auto resolved = resolve(options);
    return plan_scales(resolved, options.name == "pyramid-cnn" ? 1 : resolved.planes_per_level);
  }
  static torch::Tensor images(int64_t count, int64_t size = 28) {
    return torch::rand({count, 1, size, size}, testing::on_device(torch::kFloat));
  }
};

TEST_P(Pyramid, weights_do_not_depend_on_the_range) {
  auto options = small_pyramid(GetParam());
  const auto narrow = made(options);
  options.smaller = 4;
  options.larger = 2;
  const auto wide = made(options);
  const auto from = narrow->named_parameters(), to = wide->named_parameters();
  ASSERT_EQ(from.size(), to.size());
  for (const auto& item : from) EXPECT_EQ(item.value().sizes(), to[item.key()].sizes()) << item.key();
}

class PlainPyramid : public Pyramid {};

TEST_P(PlainPyramid, has_as_many_blocks_as_channel_counts_three_at_least) {
  auto options = small_pyramid(GetParam());
  options.channels = {4, 6, 8, 8};
  const auto network = made(options);
  EXPECT_EQ(network->forward(images(2)).sizes(), (std::vector<int64_t>{2, 4}));
  EXPECT_GT(parameter_count(*network), parameter_count(*made(small_pyramid(GetParam()))));
  options.channels = {4, 6};
  testing::expect_error([&] { make_model(options); }, "channels: got 2 numbers", "three or more");
}

TEST_P(Pyramid, black_stays_zero_from_block_to_block_in_training_and_in_use) {
  const auto network = made(small_pyramid(GetParam()));
  const torch::NoGradGuard no_grad;
  for (const auto& parameter : network->named_parameters())  // norms that make something of zero
    if (parameter.value().dim() == 1) parameter.value().uniform_(-1, 1);
  for (const auto& buffer : network->named_buffers())
    if (buffer.value().is_floating_point() && buffer.value().dim() == 1) buffer.value().uniform_(0.5, 1);
  auto x = images(4);
  x[2].zero_();
  for (const bool training : {true, false}) {
    network->train(training);
    for (const auto& block : network->features(x)) {
      if (block.layer.find("at the centre") != std::string::npos) continue;
      EXPECT_LT(block.maps[2].abs().max().item<double>(), 1e-6) << block.layer << (training ? " in training" : "");
      EXPECT_GT(block.maps[1].abs().max().item<double>(), 1e-4) << block.layer;
    }
  }
}

TEST_P(Pyramid, a_wider_range_only_adds_planes) {
  auto options = small_pyramid(GetParam());
  options.smaller = 3 * 2;  // an octave more, whole levels
  options.image_size = 56;
  const auto wide = made(options);
  options = small_pyramid(GetParam());
  options.image_size = 56;
  const auto same = made(options);
  const torch::NoGradGuard no_grad;
  for (const auto& network : {wide, same}) network->eval();
  const auto x = images(3, 56);
  const auto few = same->features(x).back().maps, many = wide->features(x).back().maps;
  EXPECT_TRUE(torch::allclose(many.narrow(2, many.size(2) - few.size(2), few.size(2)), few, 1e-3, 1e-4));
}

TEST_P(Pyramid, reads_what_forward_says_and_where) {
  const auto network = made(small_pyramid(GetParam()));
  const torch::NoGradGuard no_grad;
  network->eval();
  const auto x = images(5);
  const auto reading = network->read(x);
  ASSERT_TRUE(reading.has_value());
  EXPECT_TRUE(torch::allclose(reading->scores, network->forward(x)));
  const auto planes = network->features(x).back().maps.flatten(2);  // [N, classes, S]
  EXPECT_TRUE(torch::allclose(planes.amax(2), reading->scores, 1e-4, 1e-5));
  const auto label = reading->scores.argmax(1);
  const auto plan = plan_of(small_pyramid(GetParam()));
  for (int64_t i = 0; i < 5; ++i) {
    const auto best = planes[i][label[i].item<int64_t>()].argmax().item<int64_t>();
    EXPECT_NEAR(std::log2(reading->size[i].item<double>() / plan.home_size(static_cast<double>(best))), 0,
                0.125 + 1e-5);
  }
}

TEST(Reading, is_beyond_where_the_score_of_the_class_would_peak_more_than_half_a_plane_behind_the_ends) {
  const auto plane = torch::arange(6, torch::kFloat);
  std::vector<torch::Tensor> images;
  for (const double top : {-2.0, -0.6, -0.4, 2.0, 5.4, 5.6, 8.0})
    images.push_back(torch::stack({-(plane - top).square(), torch::full({6}, -1000.0)}));
  const auto reading = reading_of(torch::stack(images), {}, 0.25, 0.3);
  EXPECT_TRUE(torch::equal(reading.beyond, torch::tensor({-1, -1, 0, 0, 0, 1, 1})));
  EXPECT_NEAR(reading.size[3].item<double>(), 0.3 * std::exp2(0.5), 1e-6);
  EXPECT_NEAR(reading.size[4].item<double>(), 0.3 * std::exp2(0.25 * 5.4), 1e-4);
  EXPECT_NEAR(reading.size[6].item<double>(), 0.3 * std::exp2(0.25 * 5.5), 1e-4) << "no further than it can be told";
  const auto two = reading_of(torch::rand({3, 2, 2}), {}, 0.25, 0.3);
  EXPECT_TRUE(torch::equal(two.beyond, torch::zeros({3}, torch::kLong))) << "two planes cannot tell";
}

TEST(TrainingScores, are_from_home_for_the_right_class_and_from_everywhere_that_was_looked_at_for_the_others) {
  torch::manual_seed(1);
  ScalePlan plan;
  plan.enlargements = {4, 2, 1};
  plan.first_home = plan.last_home = 1;
  // Levels 0 and 2 saw two images, then there is one of training alone, which saw the first.
  const std::vector<torch::Tensor> levels = {torch::randn({2, 4, 1}), torch::randn({3, 4, 1}), torch::randn({2, 4, 1}),
                                             torch::randn({1, 4, 1})};
  const auto labels = torch::tensor({3, 0, 2});
  const auto scores = training_scores_of(levels, labels, plan);
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t c = 0; c < 4; ++c) {
      double expected = levels[1][i][c].item<double>();
      if (c != labels[i].item<int64_t>())
        for (const auto& level : levels)
          if (i < level.size(0)) expected = std::max(expected, level[i][c].item<double>());
      EXPECT_EQ(scores[i][c].item<double>(), expected) << "image " << i << ", class " << c;
    }
}

TEST_P(Pyramid, training_looks_at_home_alone_or_at_more_levels_than_there_are_in_use) {
  for (const double share : {0.0, 1.0}) {
    auto options = small_pyramid(GetParam());
    options.others_share = share;
    const auto network = made(options);
    const torch::NoGradGuard no_grad;
    network->eval();  // so that the same statistics serve both
    const auto plan = plan_of(options);
    ASSERT_FALSE(plan.training_enlargements.empty());
    const auto x = images(6);
    const auto labels = torch::tensor({0, 1, 2, 3, 0, 1}, testing::on_device(torch::kLong));
    const auto planes = network->features(x).back().maps.flatten(2);
    const auto home = planes.narrow(2, plan.first_home, plan.last_home - plan.first_home + 1).amax(2);
    const int64_t per_level = plan.planes_per_level, first = plan.first_home / per_level * per_level,
                  last = (plan.last_home / per_level + 1) * per_level;
    const auto home_levels = planes.narrow(2, first, last - first).amax(2), everywhere = planes.amax(2);
    const auto scores = network->training_scores(x, labels);
    const auto right = labels.unsqueeze(1).eq(torch::arange(4, labels.options()));
    EXPECT_TRUE(torch::allclose(scores.masked_select(right), home.masked_select(right), 0, 1e-4));
    if (share == 0) {
      EXPECT_TRUE(torch::allclose(scores.masked_select(~right), home_levels.masked_select(~right), 0, 1e-4));
      continue;
    }
    const auto more = (scores - everywhere).masked_select(~right);
    EXPECT_GE(more.min().item<double>(), -1e-4);
    EXPECT_GT(more.max().item<double>(), 1e-3) << "nothing was found at levels of training alone";
  }
}

// A network that was trained with zeros beyond the border, before black stayed black, would read its images otherwise.
TEST_P(Pyramid, plain_zeros_beyond_the_border_are_refused) {
  auto options = small_pyramid(GetParam());
  options.padding = "zero";
  testing::expect_error([&] { make_model(options); }, "padding: got \"zero\"", "black or replicate");
}

TEST_P(Pyramid, levels_of_other_sizes_are_normalised_by_the_statistics_of_home) {
  std::vector<torch::Tensor> means;
  for (const double share : {0.0, 1.0}) {
    auto options = small_pyramid(GetParam());
    options.read_out = "anywhere";
    options.smallest_object = 0.98;  // two home levels
    options.others_share = share;
    const auto network = made(options);
    network->train();
    torch::manual_seed(5);
    const auto labels = torch::tensor({0, 1, 2, 3}, testing::on_device(torch::kLong));
    network->training_scores(images(4), labels);
    EXPECT_TRUE(network->is_training());
    std::vector<torch::Tensor> buffers;
    for (const auto& module : network->modules()) EXPECT_TRUE(module->is_training()) << module->name();
    for (const auto& buffer : network->buffers()) buffers.push_back(buffer.to(torch::kDouble).flatten());
    means.push_back(torch::cat(buffers));
  }
  EXPECT_TRUE(torch::allclose(means[0], means[1], 1e-5, 1e-6));
}

TEST_P(Pyramid, looks_anywhere_where_objects_are_not_centred) {
  auto options = small_pyramid(GetParam());
  options.read_out = "anywhere";
  options.image_size = 32;
  options.finest_width = options.class_width = 7;
  options.span = 4;
  options.smallest_object = options.largest_object = 0.4375;  // at home in the image enlarged twice
  options.smaller = options.larger = 1;
  const auto network = made(options);
  const torch::NoGradGuard no_grad;
  network->eval();
  auto x = torch::zeros({2, 1, 32, 32}, testing::on_device(torch::kFloat));
  const auto object = torch::rand({8, 8}, testing::on_device(torch::kFloat));
  x[0][0].narrow(0, 8, 8).narrow(1, 8, 8).copy_(object);
  x[1][0].narrow(0, 16, 8).narrow(1, 12, 8).copy_(object);  // moved by whole pixels of every map
  const auto scores = network->forward(x);
  EXPECT_LT((scores[0] - scores[1]).abs().max().item<double>(), 0.05 * scores.abs().max().item<double>());

  // Features of an object are positive, those of the black ground zero: with such weights its score is the highest.
  for (auto& parameter : network->named_parameters())
    if (parameter.key() == "level.scores.weight") parameter.value().abs_();
  const auto reading = network->read(x);
  const double cell = 4.0 / plan_of(options).enlargements.back();  // of the maps of the coarsest level, in pixels
  const auto expect_place = [&](int64_t i, double px, double py) {
    constexpr double reach = 8;  // of filters with random weights, whose answer to the object may lie beside it
    EXPECT_NEAR(reading->place[i][0].item<double>(), px, reach);
    EXPECT_NEAR(reading->place[i][1].item<double>(), py, reach);
  };
  expect_place(0, 12, 12);
  expect_place(1, 16, 20);
  EXPECT_NEAR((reading->place[1][0] - reading->place[0][0]).item<double>(), 4, cell);
  EXPECT_NEAR((reading->place[1][1] - reading->place[0][1]).item<double>(), 8, cell);
  EXPECT_TRUE(torch::allclose(reading->scores, network->forward(x)));
}

TEST_P(Pyramid, does_not_speak_of_places_where_it_looks_at_the_centre_alone) {
  const auto network = made(small_pyramid(GetParam()));
  const torch::NoGradGuard no_grad;
  network->eval();
  EXPECT_FALSE(network->read(images(2))->place.defined());
}

TEST_P(Pyramid, its_planes_have_the_scores_of_forward_and_maps_of_what_they_see) {
  for (const char* read_out : {"centre", "anywhere"}) {
    auto options = small_pyramid(GetParam());
    options.read_out = read_out;
    const auto network = made(options);
    const torch::NoGradGuard no_grad;
    network->eval();
    const auto x = images(3);
    const auto planes = network->planes(x);
    const auto plan = plan_of(options);
    ASSERT_EQ(static_cast<int>(planes.size()), plan.planes());
    auto highest = planes.front().scores;
    for (size_t s = 0; s < planes.size(); ++s) {
      highest = torch::maximum(highest, planes[s].scores);
      EXPECT_DOUBLE_EQ(planes[s].home_size, plan.home_size(static_cast<double>(s)));
      const bool centred = read_out == std::string("centre");
      // Blocks, and the scores where they have places. Frames are at least the image, or follow the objects at home.
      EXPECT_EQ(planes[s].maps.size(), options.channels.size() + (centred ? 0 : 1));
      EXPECT_NEAR(centred ? planes[s].seen / planes[s].home_size : planes[s].seen,
                  centred ? planes[0].seen / planes[0].home_size : 1, 0.2);
      for (const auto& layer : planes[s].maps) EXPECT_EQ(layer.maps.dim(), 4) << layer.layer;
      if (!centred) {
        EXPECT_TRUE(torch::equal(planes[s].maps.back().maps.amax({2, 3}), planes[s].scores));
      }
    }
    EXPECT_TRUE(torch::allclose(highest, network->forward(x), 1e-4, 1e-5));
  }
}

/// Whether the scores change with a pixel this far from the centre of an image that is seen as it is.
bool sees(ModelOptions options, double class_width, int64_t from_centre) {
  options.image_size = 64;
  options.smallest_object = options.largest_object = 1;
  options.smaller = options.larger = 1;
  options.finest_width = 3;
  options.class_width = class_width;
  options.span = 64 / options.finest_width;
  torch::manual_seed(4);
  const auto network = make_model(options);
  network->eval();
  const torch::NoGradGuard no_grad;
  const auto black = torch::zeros({1, 1, 64, 64});
  auto dot = black.clone();
  dot[0][0][32][32 + from_centre] = 1;
  return (network->forward(dot) - network->forward(black)).abs().max().item<double>() > 1e-6;
}

TEST_P(PlainPyramid, the_class_layer_sees_as_far_as_its_own_width) {
  auto options = small_pyramid(GetParam());
  if (GetParam() == "scdcfnet-full") options.modes = 3;
  // Blocks reach 1 + 2 + 4 pixels and poolings 1 + 2; a pixel of the class layer is four of the image.
  EXPECT_TRUE(sees(options, 3, 4));
  EXPECT_FALSE(sees(options, 3, 20));
  EXPECT_TRUE(sees(options, 11, 20));
  const auto own = resolve(options);
  options.finest_width = 3;
  EXPECT_EQ(resolve(options).class_width, own.class_width) << "narrow blocks do not blind it";
  EXPECT_DOUBLE_EQ(resolve(options).span * 3, own.span * own.finest_width) << "nor do objects at home become smaller";
  options.span = 8;
  EXPECT_EQ(resolve(options).class_width, 3) << "as files from before the option have it";
}

TEST(PyramidCnn, refuses_filters_without_a_middle) {
  auto options = small_pyramid("pyramid-cnn");
  options.finest_width = 6;
  testing::expect_error([&] { make_model(options); }, "finest_width: got 6", "odd number of pixels");
  options.finest_width = 5;
  EXPECT_NO_THROW(make_model(options));
  options.class_width = 7.5;
  testing::expect_error([&] { make_model(options); }, "class_width: got 7.5", "odd number of pixels");
}

std::string name_of_kind(const ::testing::TestParamInfo<std::string>& info) {
  return info.param == "pyramid-cnn" ? "cnn" : info.param == "resnet16-full" ? "resnet16" : "scdcfnet";
}
INSTANTIATE_TEST_SUITE_P(Kinds, Pyramid, ::testing::Values("scdcfnet-full", "resnet16-full", "pyramid-cnn"),
                         name_of_kind);
INSTANTIATE_TEST_SUITE_P(Kinds, PlainPyramid, ::testing::Values("scdcfnet-full", "pyramid-cnn"), name_of_kind);

TEST(ScdcfnetFull, has_the_parameters_of_its_description) {
  ModelOptions options;
  options.name = "scdcfnet-full";
  // Coefficients 4 (16 + 16 32 + 32 48) + 20 48 128, norms 2 (16 + 32 + 48 + 128), scores 128 10 + 10.
  EXPECT_EQ(parameter_count(*make_model(options)), 132874);
}

}  // namespace
}  // namespace scdcf::models
