// What must be true of the networks for the scaled digits.
#include "scdcf/models/skeleton.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <map>
#include <sstream>

#include "scdcf/models/registry.h"
#include "support/device.h"
#include "support/expect_error.h"

namespace scdcf::models {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> digit_networks() {
  std::vector<std::string> names;
  for (const auto& entry : all_models())
    if (entry.name.rfind("resnet16", 0) != 0 && !entry.fits_objects) names.push_back(entry.name);
  return names;
}

/// A network of the skeleton with few channels.
ModelOptions narrow(const std::string& name, int64_t image_size = 28) {
  ModelOptions options;
  options.name = name;
  options.image_size = image_size;
  options.channels = {2, 3, 4};
  options.hidden = 8;
  return options;
}

TEST(Skeleton, states_keep_their_names) {
  // Trained networks are stored under them.
  struct Case {
    const char *name, *block1, *block2;
  };
  const Case cases[] = {
      {"scdcfnet", "0.coefficients 1.weight 1.bias", "0.coefficients 1.weight 1.bias"},
      {"cnn", "0.weight 0.bias 3.weight 3.bias", "0.weight 0.bias 3.weight 3.bias"},
      {"lsi-cnn", "0.conv.weight 0.conv.bias 3.weight 3.bias", "0.conv.weight 0.conv.bias 3.weight 3.bias"},
      {"si-cnn", "0.canonical.weight 0.canonical.bias 3.weight 3.bias",
       "0.canonical.weight 0.canonical.bias 3.weight 3.bias"},
      {"ss-cnn", "0.coefficients 0.bias 4.weight 4.bias", "0.coefficients 0.bias 4.weight 4.bias"},
      {"sevf", "0.conv.weight 0.conv.bias 2.weight", "0.conv.weight 0.conv.bias 2.weight"},
      {"dss", "1.conv.weight 4.weight 4.bias", "0.conv.weight 3.weight 3.bias"},
      {"sesn", "0.coefficients 0.bias 3.weight 3.bias", "0.coefficients 0.bias 3.weight 3.bias"},
  };
  for (const auto& c : cases) {
    const auto children = make_model(narrow(c.name))->named_children();
    EXPECT_EQ(joined(children.keys()),
              std::string("block1 block2 block3 ") + (std::string("sevf") == c.name ? "centring " : "") + "head");
    EXPECT_EQ(joined(children["block1"]->named_parameters().keys()), c.block1) << c.name;
    EXPECT_EQ(joined(children["block2"]->named_parameters().keys()), c.block2) << c.name;
    EXPECT_EQ(joined(children["block3"]->named_parameters().keys()), c.block2) << c.name;
    EXPECT_EQ(joined(children["head"]->named_parameters().keys()), "0.weight 1.weight 1.bias 4.weight 4.bias");
  }
}

TEST(Skeleton, blocks_end_at_2x2_pixels_whatever_the_image_and_the_pooling) {
  const torch::NoGradGuard no_grad;
  for (const auto& name : digit_networks())
    for (const char* pooling : {"max", "average"})
      for (const int64_t size : {12, 20, 56}) {
        auto options = narrow(name, size);
        if (name != "sevf") options.pooling = pooling;
        const auto network = make_model(options);
        network->to(testing::device());
        network->eval();
        const auto image = torch::rand({1, 1, size, size}, testing::on_device(torch::kFloat));
        const auto maps = network->features(image);
        ASSERT_EQ(maps.size(), 3U);
        EXPECT_EQ(maps[0].maps.size(-1), size / 2);
        EXPECT_EQ(maps[1].maps.size(-1), size / 4);
        EXPECT_EQ(maps[2].maps.size(-1), 2) << name << ", " << pooling << ", " << size;
        EXPECT_EQ(network->forward(image).sizes(), (std::vector<int64_t>{1, 10}));
      }
}

constexpr double kMean = 0.3, kBias = 0.05;

/// What follows the convolution of the first block, by torch's own functions, in eval mode.
torch::Tensor end_of_block(const torch::Tensor& maps, bool norm_first, bool average) {
  const auto pool = [&](const torch::Tensor& x) {
    if (x.dim() == 4) return average ? torch::avg_pool2d(x, 2) : torch::max_pool2d(x, 2);
    return average ? torch::avg_pool3d(x, {1, 2, 2}) : torch::max_pool3d(x, {1, 2, 2});
  };
  const auto normed = [&](const torch::Tensor& x) { return (x - kMean) / std::sqrt(1 + 1e-5) + kBias; };
  return norm_first ? pool(torch::relu(normed(maps))) : normed(pool(torch::relu(maps)));
}

TEST(Skeleton, a_block_goes_on_in_the_order_asked_for_whatever_the_pooling_and_the_scale_axis) {
  const torch::NoGradGuard no_grad;
  for (const char* name : {"cnn", "scdcfnet", "sesn", "dss", "si-cnn"})
    for (const bool average : {false, true})
      for (const bool norm_first : {false, true}) {
        auto options = narrow(name);
        options.pooling = average ? "average" : "max";
        options.block = norm_first ? "norm-relu-pool" : "relu-pool-norm";
        const auto network = make_model(options);
        network->eval();
        auto block = std::dynamic_pointer_cast<torch::nn::SequentialImpl>(network->named_children()["block1"]);
        for (auto& item : block->named_buffers())
          if (item.key().find("running_mean") != std::string::npos) item.value().fill_(kMean);
        for (auto& item : block->named_parameters())
          if (item.key().find("bias") != std::string::npos && item.key().rfind("0.", 0) != 0) item.value().fill_(kBias);
        const auto image = torch::rand({2, 1, 28, 28});
        torch::nn::Sequential convolution;  // the block until its end begins
        size_t i = 0;
        for (; i < block->size(); ++i) {
          std::ostringstream text;
          block->ptr(i)->pretty_print(text);
          if (text.str().find("ReLU") != std::string::npos || text.str().find("NormRelu") != std::string::npos) break;
          convolution->push_back(*(block->begin() + static_cast<std::ptrdiff_t>(i)));
        }
        const auto expected = end_of_block(convolution->forward(image), norm_first, average);
        const auto got = block->forward(image);
        ASSERT_EQ(got.sizes(), expected.sizes()) << name;
        EXPECT_LE((got - expected).abs().max().item<double>(), 1e-5) << name << " " << options.pooling << options.block;
      }
}

TEST(Skeleton, blocks_and_samplings_left_open_are_those_of_stored_networks) {
  const auto of = [](const char* name, const char* pooling) {
    auto options = narrow(name);
    options.pooling = pooling;
    return resolve(options);
  };
  EXPECT_EQ(of("scdcfnet", "").block, "norm-relu-pool");
  EXPECT_EQ(of("scdcfnet", "max").block, "relu-pool-norm");
  EXPECT_EQ(of("sesn", "").block, "relu-pool-norm");
  EXPECT_EQ(of("sesn", "average").block, "norm-relu-pool");
  EXPECT_EQ(of("cnn", "average").block, "relu-pool-norm");
  EXPECT_EQ(of("scdcfnet", "").sampling, "area");
  EXPECT_EQ(of("sesn", "").sampling, "point");
}

TEST(Skeleton, sampling_makes_the_filters_of_points_or_of_pixels) {
  const torch::NoGradGuard no_grad;
  for (const char* name : {"scdcfnet", "sesn"}) {
    const auto image = torch::rand({1, 1, 28, 28});
    std::map<std::string, torch::Tensor> maps;
    for (const char* sampling : {"", "area", "point"}) {
      torch::manual_seed(5);
      auto options = narrow(name);
      options.sampling = sampling;
      auto network = make_model(options);
      network->eval();
      maps[sampling] = network->features(image)[0].maps;
    }
    EXPECT_FALSE(torch::allclose(maps["area"], maps["point"], 1e-3, 1e-3)) << name;
    EXPECT_TRUE(torch::equal(maps[""], maps[std::string("sesn") == name ? "point" : "area"])) << name;
  }
}

TEST(Skeleton, networks_have_the_budget_of_parameters_at_28_and_56_pixels) {
  const std::map<std::string, int64_t> counts = {{"cnn", 494549},    {"lsi-cnn", 494549}, {"si-cnn", 494549},
                                                 {"ss-cnn", 486202}, {"sevf", 475423},    {"dss", 494359}};
  for (const auto& name : digit_networks())
    for (const int64_t size : {28, 56}) {
      ModelOptions options;
      options.name = name;
      options.image_size = size;
      const auto count = parameter_count(*make_model(options));
      EXPECT_NEAR(static_cast<double>(count), 494549, 0.05 * 494549) << name;
      const auto known = counts.find(name);
      if (known != counts.end()) {
        EXPECT_EQ(count, known->second) << name;
      }
    }
}

TEST(Skeleton, the_count_behind_the_choice_of_channels_is_that_of_the_network) {
  auto options = resolve(narrow("sesn"));
  EXPECT_EQ(skeleton_parameters(options, options.channels, options.modes, options.modes * options.scale_modes),
            static_cast<double>(parameter_count(*make_model(options))));
}

TEST(Skeleton, sesn_has_as_many_channels_as_the_budget_allows) {
  ModelOptions options;
  options.name = "sesn";
  options.scale_taps = 1;
  EXPECT_EQ(resolve(options).channels, skeleton_channels());
  EXPECT_EQ(parameter_count(*make_model(options)), 494549);
  options.scale_taps = 3;
  EXPECT_LT(resolve(options).channels[1], 40);
}

TEST(Skeleton, bad_options_are_named) {
  const auto refused = [](auto change, auto... words) {
    auto options = narrow("cnn");
    change(options);
    testing::expect_error([&] { resolve(options); }, words...);
  };
  refused([](auto& options) { options.image_size = 30; }, "image_size: got 30", "cnn expects a multiple of 4 from 12");
  refused([](auto& options) { options.classes = 1; }, "classes: got 1");
  refused([](auto& options) { options.in_channels = 0; }, "in_channels: got 0");
  refused([](auto& options) { options.channels = {4, 5}; }, "channels: got 2", "three blocks");
  refused([](auto& options) { options.channels = {4, 0, 5}; }, "channels: got 4,0,5");
  refused([](auto& options) { options.hidden = -1; }, "hidden: got -1");
  refused([](auto& options) { options.dropout = 1; }, "dropout: got 1");
  refused([](auto& options) { options.pooling = "median"; }, "pooling: got \"median\"");
  refused([](auto& options) { options.scales = 3; }, "scales: model cnn has no such option");
  refused([](auto& options) { options.block = "pool-relu"; }, "block: got \"pool-relu\"", "norm-relu-pool");
  refused([](auto& options) { options.sampling = "area"; }, "sampling: model cnn has no such option");
  refused([](auto& options) { options.name = "scdcfnet", options.sampling = "line"; }, "sampling: got \"line\"");
  auto of_vectors = narrow("sevf");
  of_vectors.pooling = "max";
  testing::expect_error([&] { resolve(of_vectors); }, "sevf", "pooling");
  of_vectors.pooling = "";
  of_vectors.block = "relu-pool-norm";
  testing::expect_error([&] { resolve(of_vectors); }, "sevf", "block");
}

}  // namespace
}  // namespace scdcf::models
